using PerformanceTests.Tiers;

[assembly: AssemblyFixture(typeof(ExclusiveTestRun))]
[assembly: AssemblyFixture(typeof(RunFixture))]

// Two scenarios at once would measure each other.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
