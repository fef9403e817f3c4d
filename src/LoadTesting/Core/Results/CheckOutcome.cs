namespace LoadTesting.Core.Results;

/// <summary>What a check came to.</summary>
public enum CheckOutcome
{
    /// <summary>Within the limit.</summary>
    Passed,

    /// <summary>Beyond the limit.</summary>
    Failed,

    /// <summary>It could not be made; its reason says why.</summary>
    NotApplicable,
}
