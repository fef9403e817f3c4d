using IntegrationTests.Shared.Backends;
using IntegrationTests.Shared.Running;
using Xunit;

[assembly: AssemblyFixture(typeof(SharedTestRun))]
[assembly: AssemblyFixture(typeof(BackendFixture))]
