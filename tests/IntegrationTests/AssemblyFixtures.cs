using IntegrationTests.Shared.Running;

[assembly: AssemblyFixture(typeof(SharedTestRun))]
[assembly: AssemblyFixture(typeof(BackendFixture))]
