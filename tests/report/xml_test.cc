// SPDX-License-Identifier: Apache-2.0
// Text made safe for XML, and the reader that the tests of pictures rely on.
#include "tests/report/xml.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "thimble/report/xml_text.h"

namespace thimble::testing {
namespace {

TEST(XmlText, EscapesMarkup) {
  EXPECT_EQ(xml_text("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;");
}

TEST(XmlText, KeepsOtherAlphabets) { EXPECT_EQ(xml_text("größe/层 😀"), "größe/层 😀"); }

TEST(XmlText, ReplacesWhatXmlDoesNotAllow) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_text(std::string("a\0\x1B\n\x7F", 5)), "a" + r + r + r + r);
  EXPECT_EQ(xml_text("\xFF"), r);
  EXPECT_EQ(xml_text("\xC3"), r) << "cut off";
  EXPECT_EQ(xml_text("\xC0\xBC"), r + r) << "a '<' in two bytes";
  EXPECT_EQ(xml_text("\xED\xA0\x80"), r + r + r) << "a surrogate";
  EXPECT_EQ(xml_text("\xF4\x90\x80\x80"), r + r + r + r) << "beyond Unicode";
  EXPECT_EQ(xml_text("\xEF\xBF\xBE"), r) << "U+FFFE";
  EXPECT_EQ(xml_text("\xC2\x85"), r) << "a control of Latin-1";
}

TEST(XmlReader, ReadsElements) {
  const auto elements = parse_xml("<a x=\"1 &lt; 2\"><b/>t&amp;u</a>\n");
  ASSERT_EQ(elements.size(), 2U);
  EXPECT_EQ(elements[0].attributes.at("x"), "1 < 2");
  EXPECT_EQ(elements[0].text, "t&u");
  EXPECT_EQ(elements[1].name, "b");
}

TEST(XmlReader, RefusesWhatIsNotWellFormed) {
  for (const char* text : {"<a>", "<a></b>", "<a/><b/>", "<a x=1/>", "<a x=\"1\" x=\"2\"/>",
                           "<a>&</a>", "<a>&nbsp;</a>", "<a x=\"<\"/>", "<a>\x01</a>",
                           "<a>\xFF</a>", "<a></a>text", "<a x=\"1/>"}) {
    EXPECT_THROW((void)parse_xml(text), std::runtime_error) << text;
  }
}

}  // namespace
}  // namespace thimble::testing
