namespace LoadTesting.Core.Analysis.Findings;

/// <summary>What to change first where a resource is a finding.</summary>
internal static class Suggestions
{
    public static string For(string resource) => resource switch
    {
        ResourceNames.Stalls =>
            "Find out what stood still at that time (strips, waits, log of the server) "
                + "before looking at anything else.",
        ResourceNames.ServiceCpu => "Profile the service and spend less per operation, or give it more processors.",
        ResourceNames.DatabaseCpu =>
            "Look at the costliest statements (snapshots of the run), save queries or rows per operation, or give "
            + "the server more processors.",
        ResourceNames.OtherProcesses =>
            "Measure again on a machine that nothing else uses; `wfperf doctor` shows what runs on it.",
        ResourceNames.Compilation => "Warm the service up for longer, or publish it with ReadyToRun code.",
        ResourceNames.GarbageCollection => "Allocate less per operation, or use the server collector with more memory.",
        ResourceNames.WalFlush =>
            "Let more operations share a commit, or put the log on a disk that forces writes faster.",
        ResourceNames.Locks => "Touch shared rows later and for a shorter time, or spread them over more rows.",
        ResourceNames.Disk =>
            "Give the server more memory for its pages, or a faster disk; look for statements that read much.",
        ResourceNames.OtherWaits =>
            "Look up the waits by their names in the server's manual: the server waited for something outside its "
                + "resources.",
        ResourceNames.ConnectionPool => "Hold connections for a shorter time, or allow more of them.",
        ResourceNames.ServiceQueue =>
            "Let the service work on more at a time (more workers or lanes); none of its resources is full.",
        ResourceNames.EventDelivery =>
            "Look at the broker: its queues, its acknowledgements, and how often its client asks for messages.",
        ResourceNames.EventConsumer => "Do less in the consumer's callback, or let it take several events at a time.",
        ResourceNames.ServiceWaits =>
            "Trace one operation through the service: look for sleeps, locks and calls to other systems.",
        ResourceNames.Generator =>
            "Do not act on this run: lower the rate, unblock the generator's threads, or run it on a separate machine.",
        _ => throw new ArgumentOutOfRangeException(
            nameof(resource), resource, "The resource is unknown; ResourceNames has all of them."),
    };
}
