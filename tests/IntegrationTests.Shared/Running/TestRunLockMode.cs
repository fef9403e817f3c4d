namespace IntegrationTests.Shared.Running;

/// <summary>Who may run beside a test assembly.</summary>
public enum TestRunLockMode
{
    /// <summary>Others that are shared.</summary>
    Shared,

    /// <summary>Nobody: what it measures would be disturbed.</summary>
    Exclusive,
}
