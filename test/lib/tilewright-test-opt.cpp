// tilewright-opt with the passes for tests.

#include "compiler/Registration.h"
#include "test/lib/TestPasses.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  tilewright::registerPasses();
  tilewright::test::registerTestAxisInfo();
  tilewright::test::registerTestBreakRings();
  tilewright::test::registerTestGlobalHazards();
  tilewright::test::registerTestIntegerRanges();
  tilewright::test::registerTestLayoutAssignment();
  tilewright::test::registerTestNonNegative();
  tilewright::test::registerTestProducerSlice();
  tilewright::test::registerTestProgramVariation();
  tilewright::test::registerTestRingUses();
  tilewright::test::registerTestStrideEstimate();
  tilewright::test::registerTestTmaAccess();
  tilewright::test::registerTestWrittenArguments();
  mlir::DialectRegistry registry;
  tilewright::registerDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Tilewright's optimizer driver for tests\n", registry));
}
