namespace LoadTesting.Core.Results;

public enum CheckOutcome
{
    /// <summary>Within the limit.</summary>
    Passed,

    /// <summary>Beyond the limit.</summary>
    Failed,

    /// <summary>It could not be made; its reason says why.</summary>
    NotApplicable,
}
