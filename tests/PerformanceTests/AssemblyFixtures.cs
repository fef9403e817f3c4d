using IntegrationTests.Shared.Backends;
using IntegrationTests.Shared.Running;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using Xunit;

[assembly: AssemblyFixture(typeof(ExclusiveTestRun))]
[assembly: AssemblyFixture(typeof(BackendFixture))]
[assembly: AssemblyFixture(typeof(RunFixture))]

// Two scenarios at once would measure each other.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
