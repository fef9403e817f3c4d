namespace LoadTesting.Core.Results;

/// <summary>What a search for the capacity ended with.</summary>
public enum CapacityOutcome
{
    /// <summary>A closed ladder alone: it shows load steps, and gives no capacity of an open load.</summary>
    LadderOnly,

    /// <summary>The limit lies in the bracket.</summary>
    Found,

    /// <summary>Every load step was comfortable: the limit lies above the highest.</summary>
    NotReached,

    /// <summary>
    /// The generator gave in first: the system's capacity is not known, but for a rate that it carried.
    /// </summary>
    GeneratorLimited,

    /// <summary>The lowest load step was under pressure already, or nothing completed.</summary>
    NothingComfortable,
}
