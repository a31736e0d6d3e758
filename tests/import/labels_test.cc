// SPDX-License-Identifier: Apache-2.0
// Names of classes: from files of lines, and from the metadata and the archive of a .tflite file.
#include "thimble/import/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/workload.h"
#include "tests/support/zip_archive.h"
#include "tflite_builder.h"
#include "thimble/import/model_metadata.h"
#include "thimble/import/tflite.h"
#include "thimble/import/tflite/metadata.h"
#include "thimble/import/zip.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string fault_of_labels(std::string_view text) {
  try {
    (void)labels_in(text, "labels.txt");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(Labels, AreLines) {
  EXPECT_THAT(labels_in("no\nyes", ""), ElementsAre("no", "yes"));
  EXPECT_THAT(labels_in("\xEF\xBB\xBFno \r\n\r\nyes\r\n\r\n", ""), ElementsAre("no", "", "yes"));
  EXPECT_THAT(labels_in("hot dog\n3d\n", ""), ElementsAre("hot dog", "3d"));
}

TEST(Labels, MayBeNumberedUpwards) {
  EXPECT_THAT(labels_in("0 no\n1 yes\n", ""), ElementsAre("no", "yes"));
  EXPECT_THAT(labels_in("0  person\n2: cell phone\n", ""), ElementsAre("person", "", "cell phone"));
  EXPECT_THAT(labels_in("1 no\n2 yes\n", ""), ElementsAre("no", "yes"));
  EXPECT_THAT(labels_in("1 no\n1 yes\n", ""), ElementsAre("1 no", "1 yes"));
  EXPECT_THAT(labels_in("0\n1\n2\n", ""), ElementsAre("0", "1", "2"));
}

TEST(Labels, AreText) {
  EXPECT_THAT(fault_of_labels(" \n\n"), HasSubstr("labels.txt: has no labels"));
  EXPECT_THAT(fault_of_labels("a\nb\x01\n"), HasSubstr("line 2 is no text"));
  EXPECT_THAT(fault_of_labels("\xFF"), HasSubstr("line 1 is no text"));
  EXPECT_THAT(fault_of_labels(std::string(200'000, '\n') + "x"), HasSubstr("200001 lines"));
}

/// small_network() with metadata: its input is a grey picture, its output has labels.
struct Described {
  tflmeta::ModelMetadataT metadata;
  TfliteBuilder network = small_network();

  Described() {
    auto subgraph = std::make_unique<tflmeta::SubGraphMetadataT>();
    auto input = std::make_unique<tflmeta::TensorMetadataT>();
    input->content = std::make_unique<tflmeta::ContentT>();
    tflmeta::ImagePropertiesT image;
    image.color_space = tflmeta::ColorSpaceType::GRAYSCALE;
    input->content->content_properties.Set(image);
    auto unit = std::make_unique<tflmeta::ProcessUnitT>();
    tflmeta::NormalizationOptionsT options;
    options.mean = {127.5F};
    options.std = {64.0F};
    unit->options.Set(options);
    input->process_units.push_back(std::move(unit));
    subgraph->input_tensor_metadata.push_back(std::move(input));
    auto output = std::make_unique<tflmeta::TensorMetadataT>();
    auto file = std::make_unique<tflmeta::AssociatedFileT>();
    file->name = "labels.txt";
    file->type = tflmeta::AssociatedFileType::TENSOR_AXIS_LABELS;
    output->associated_files.push_back(std::move(file));
    subgraph->output_tensor_metadata.push_back(std::move(output));
    metadata.subgraph_metadata.push_back(std::move(subgraph));
  }

  tflmeta::TensorMetadataT& input() {
    return *metadata.subgraph_metadata[0]->input_tensor_metadata[0];
  }

  /// With the archive behind it.
  [[nodiscard]] Bytes bytes(const std::string& archive) {
    flatbuffers::FlatBufferBuilder builder;
    tflmeta::FinishModelMetadataBuffer(builder, tflmeta::CreateModelMetadata(builder, &metadata));
    auto buffer = std::make_unique<tflite::BufferT>();
    buffer->data.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
    auto entry = std::make_unique<tflite::MetadataT>();
    entry->name = "TFLITE_METADATA";
    entry->buffer = static_cast<uint32_t>(network.model.buffers.size());
    network.model.buffers.push_back(std::move(buffer));
    network.model.metadata.push_back(std::move(entry));
    Bytes result = network.bytes();
    result.insert(result.end(), archive.begin(), archive.end());
    return result;
  }
};

TEST(ModelMetadata, HasLabelsStoredOrDeflated) {
  for (const bool deflate : {false, true}) {
    const Bytes bytes = Described().bytes(zip_archive("labels.txt", "no\nyes\n", deflate));
    const ModelMetadata metadata = read_metadata(bytes, "m.tflite");
    EXPECT_THAT(metadata.faults, IsEmpty());
    EXPECT_THAT(labels_of(metadata), ElementsAre("no", "yes"));
    EXPECT_NO_THROW((void)import_tflite(bytes, "m", "m.tflite"));
  }
}

TEST(ModelMetadata, CountsOffsetsOfTheArchiveFromTheFilesBeginningToo) {
  const auto base = static_cast<uint32_t>(Described().bytes("").size());
  const Bytes bytes = Described().bytes(zip_archive("labels.txt", "a\nb\n", false, base));
  EXPECT_THAT(labels_of(read_metadata(bytes, "")), ElementsAre("a", "b"));
}

TEST(ModelMetadata, SaysHowPicturesAreNormalised) {
  const ModelMetadata metadata = read_metadata(Described().bytes(""), "m.tflite");
  ASSERT_EQ(metadata.inputs.size(), 1U);
  EXPECT_EQ(metadata.inputs[0].colours, Colours::kGray);
  EXPECT_THAT(metadata.inputs[0].mean, ElementsAre(127.5F));
  EXPECT_THAT(metadata.inputs[0].std, ElementsAre(64.0F));
  EXPECT_THAT(metadata.faults, ElementsAre(HasSubstr("there is none at the end of the file")));
}

TEST(ModelMetadata, LeavesOutWhatIsDamaged) {
  EXPECT_EQ(read_metadata(small_network().bytes(), ""), ModelMetadata());
  const auto faults = [](const std::string& archive) {
    const ModelMetadata metadata = read_metadata(Described().bytes(archive), "m.tflite");
    EXPECT_THAT(labels_of(metadata), IsEmpty());
    return metadata.faults;
  };
  EXPECT_THAT(faults(zip_archive("other.txt", "a", false)),
              ElementsAre(HasSubstr("it has no labels.txt")));
  EXPECT_THAT(faults(zip_archive("labels.txt", std::string(5 << 20, 'a'), true)),
              ElementsAre(HasSubstr("5242880 bytes, 4194304 are supported")));
  Described zero;
  zero.input().process_units[0]->options.AsNormalizationOptions()->std = {0};
  EXPECT_THAT(read_metadata(zero.bytes(""), "").inputs[0].std, IsEmpty());
  Described more;
  more.metadata.subgraph_metadata[0]->output_tensor_metadata.emplace_back(
      std::make_unique<tflmeta::TensorMetadataT>());
  EXPECT_THAT(read_metadata(more.bytes(""), "m").faults,
              ElementsAre("m: its metadata know 2 outputs, it has 1"));
}

TEST(ModelMetadata, SurvivesAnyByteOfTheArchive) {
  std::mt19937_64 random(41);
  for (const bool deflate : {false, true}) {
    const std::string whole = zip_archive("labels.txt", "no\nyes\nperhaps not\n", deflate);
    for (uint64_t n = 0; n < random_cases(2000, 100'000); ++n) {
      std::string archive = whole;
      archive[random() % archive.size()] = static_cast<char>(random());
      if (n % 2 == 0) archive[random() % archive.size()] = static_cast<char>(random());
      if (n % 5 == 0) archive.resize(random() % archive.size());
      try {
        (void)zip_member({reinterpret_cast<const uint8_t*>(archive.data()), archive.size()},
                         "labels.txt", 1 << 20, "m");
      } catch (const CompileError&) {
        // The archive's fault, and said so.
      }
    }
  }
}

}  // namespace
}  // namespace thimble::testing
