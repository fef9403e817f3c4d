using IntegrationTests.Shared.Running;

[assembly: AssemblyFixture(typeof(SharedTestRun))]
