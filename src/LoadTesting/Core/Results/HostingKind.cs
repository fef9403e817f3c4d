namespace LoadTesting.Core.Results;

/// <summary>Where the system under test ran.</summary>
public enum HostingKind
{
    /// <summary>In the process of the generator.</summary>
    InProcess,

    /// <summary>In a separate process, reached over HTTP.</summary>
    Http,
}
