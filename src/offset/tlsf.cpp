// SPDX-License-Identifier: MIT
#include <quarry/tlsf.hpp>

#include "offset/offset_space.hpp"
#include "offset/tlsf_hot_path.hpp"

namespace quarry {

template class OffsetSpace<offset::TlsfState>;

Tlsf::Tlsf(const TlsfDesc& desc) : OffsetSpace(desc.size, desc.max_allocations, desc.host) {}

std::uint32_t Tlsf::largest_free_class() const {
  if (state() != nullptr) return state()->largest_free_class();
  return size() == 0 ? 0 : class_of(size());
}

std::uint64_t Tlsf::ranges_examined() const {
  return state() == nullptr ? 0 : state()->ranges_examined();
}

}  // namespace quarry
