namespace LoadTesting.Contracts;

/// <summary>Which copy of which scenario is running.</summary>
public sealed record ScenarioInfo
{
    internal ScenarioInfo()
    {
    }

    /// <summary>Name and copy in one word.</summary>
    public string InstanceId => $"{ScenarioName}_{InstanceNumber}";

    /// <summary>The copy, from 0. Copies of an open load are reused once their iteration has ended.</summary>
    public int InstanceNumber { get; internal init; }

    /// <summary>NBomber 4's name of <see cref="InstanceId"/>.</summary>
    public string ThreadId => InstanceId;

    /// <summary>NBomber 4's name of <see cref="InstanceNumber"/>.</summary>
    public int ThreadNumber => InstanceNumber;

    public string ScenarioName { get; internal init; }

    /// <summary>How long the load is to last; zero if that follows from a number of iterations.</summary>
    public TimeSpan ScenarioDuration { get; internal init; }

    public ScenarioOperation ScenarioOperation { get; internal init; }
}
