// SPDX-License-Identifier: Apache-2.0
// The library fmt as an archive, of which Debian's package has none: what its headers declare and
// leave to a library. A version that leaves more does not link.
#include <fmt/format-inl.h>

#include <locale>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template FMT_API char decimal_point_impl<char>(locale_ref);
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to<char>(buffer<char>&, string_view,
                                       basic_format_args<buffer_context<char>>, locale_ref);
template FMT_API locale_ref::locale_ref(const std::locale&);
template FMT_API std::locale locale_ref::get<std::locale>() const;

namespace dragonbox {
template FMT_API decimal_fp<float> to_decimal(float) noexcept;
template FMT_API decimal_fp<double> to_decimal(double) noexcept;
}  // namespace dragonbox

}  // namespace detail
FMT_END_NAMESPACE
