namespace LoadTesting.Core.Load.Recording;

/// <summary>The record of one processor in one second.</summary>
/// <param name="Index">The second, from 0.</param>
/// <param name="Meter">The iterations that ended in it.</param>
/// <param name="StartedEarlier">How many of them started in earlier seconds, by second; null if none did.</param>
/// <param name="Spans">Times with completions, without the long gaps between them.</param>
internal sealed record SecondPart(
    long Index, Meter Meter, Dictionary<long, long>? StartedEarlier, List<CompletionSpan> Spans);
