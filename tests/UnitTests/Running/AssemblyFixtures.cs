[assembly: AssemblyFixture(typeof(SharedTestRun))]
