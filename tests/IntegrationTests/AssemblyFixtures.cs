using IntegrationTests.Shared.Backends;
using IntegrationTests.Shared.Running;
using PerformanceTesting.Backends;
using Xunit;

[assembly: AssemblyFixture(typeof(SharedTestRun))]
[assembly: AssemblyFixture(typeof(BackendFixture))]
