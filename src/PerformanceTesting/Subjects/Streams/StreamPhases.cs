namespace PerformanceTesting.Subjects.Streams;

public static class StreamPhases
{
    /// <summary>The request of a publication leaves to its answer is here.</summary>
    public const string Publish = "publish";

    /// <summary>A client is due to connect to the head of its stream: one sample for each client.</summary>
    public const string Open = "open";

    /// <summary>
    /// A client is due to connect to its first frame, which says where its stream begins: one sample for each client.
    /// </summary>
    public const string FirstMessage = "firstMessage";

    /// <summary>
    /// Just before a publication's request leaves to one client's receipt: one sample for each client and publication.
    /// </summary>
    public const string Propagation = "propagation";

    internal static IReadOnlyList<string> All { get; } = [Publish, Open, FirstMessage, Propagation];
}
