using PerformanceTesting.XunitV3;
using Xunit.v3;

[assembly: AssemblyFixture(typeof(ExclusiveTestRun))]
[assembly: AssemblyFixture(typeof(RunFixture))]
[assembly: EndsWhenInterrupted]

[assembly: TestCollectionOrderer(typeof(SlowestServerFirst))]

// Two scenarios at once would measure each other.
[assembly: Parallelization(Mode = ParallelMode.None)]
