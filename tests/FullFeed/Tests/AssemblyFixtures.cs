using IntegrationTests.Shared.Running;
using Xunit;

[assembly: AssemblyFixture(typeof(SharedTestRun))]
