namespace LoadTesting.Core.Analysis.Findings;

/// <summary>What to change first where a resource is guilty.</summary>
internal static class Suggestions
{
    public static string For(string resource) => resource switch
    {
        ResourceNames.ServiceCpu => "Profile the service and spend less per operation, or give it more processors.",
        ResourceNames.DatabaseCpu => "Look at the costliest statements (snapshots of the run), save queries or rows per operation, or give the server more processors.",
        ResourceNames.WalFlush => "Let more operations share a commit, or put the log on a disk that forces writes faster.",
        ResourceNames.Locks => "Touch shared rows later and for a shorter time, or spread them over more rows.",
        ResourceNames.Disk => "Give the server more memory for its pages, or a faster disk; look for statements that read much.",
        ResourceNames.OtherWaits => "Look up the waits by their names in the server's manual: the server was kept waiting by something that is none of its own resources.",
        ResourceNames.ConnectionPool => "Hold connections for a shorter time, or allow more of them.",
        ResourceNames.ServiceQueue => "Let the service work on more at a time (more workers or lanes); none of its resources is full.",
        ResourceNames.GarbageCollection => "Allocate less per operation, or use the server collector with more memory.",
        ResourceNames.Generator => "Do not act on this run: lower the rate, unblock the generator's threads, or give it a machine of its own.",
        _ => throw new ArgumentOutOfRangeException(nameof(resource), resource, "There is no such resource; ResourceNames has them all."),
    };
}
