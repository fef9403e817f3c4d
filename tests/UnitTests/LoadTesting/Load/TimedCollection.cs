namespace UnitTests.LoadTesting.Load;

/// <summary>Tests that load the machine or block its thread pool: nothing else runs beside them.</summary>
[JudgesRealTime]
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class TimedCollection
{
    public const string Name = "Timed";
}
