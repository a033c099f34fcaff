// Passes that report analysis results as remarks, or break kernels to test the
// checkers.

#ifndef TILEWRIGHT_TEST_LIB_TESTPASSES_H
#define TILEWRIGHT_TEST_LIB_TESTPASSES_H

namespace tilewright::test {

void registerTestAxisInfo();
void registerTestBreakRings();
void registerTestGlobalHazards();
void registerTestIntegerRanges();
void registerTestLayoutAssignment();
void registerTestNonNegative();
void registerTestProducerSlice();
void registerTestProgramVariation();
void registerTestRingUses();
void registerTestStrideEstimate();
void registerTestTmaAccess();
void registerTestWrittenArguments();

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_LIB_TESTPASSES_H
