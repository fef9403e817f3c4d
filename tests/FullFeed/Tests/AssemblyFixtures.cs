[assembly: AssemblyFixture(typeof(SharedTestRun))]
[assembly: AssemblyFixture(typeof(BackendFixture))]
