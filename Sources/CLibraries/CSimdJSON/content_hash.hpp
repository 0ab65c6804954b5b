#pragma once

#include "parser.hpp"

namespace sl {

inline uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    return hash ^ (hash >> 32);
}

inline uint64_t bits(double number) {
    uint64_t word;
    std::memcpy(&word, &number, 8);
    return word;
}

/// Hashes the fields that identify a fix, independent of their order and notation in the record.
inline uint64_t content_hash(const sl_fix &fix) {
    constexpr uint64_t absent = 0x7FF8000000000001u;  // bits of a NaN, which no field contains
    uint64_t hash = mix(0x9E3779B97F4A7C15u, bits(fix.latitude));
    hash = mix(hash, bits(fix.longitude));
    hash = mix(hash, fix.present & SL_FIX_DEVICE_TIME ? uint64_t(fix.device_ms) : absent);
    hash = mix(hash, fix.present & SL_FIX_SPEED ? bits(fix.speed_mps) : absent);
    hash = mix(hash, fix.present & SL_FIX_HEADING ? bits(fix.heading) : absent);
    bool has_accuracy = fix.present & (SL_FIX_ACCURACY | SL_FIX_ZERO_ACCURACY);
    return mix(hash, has_accuracy ? bits(fix.accuracy_meters) : absent);
}

}  // namespace sl
