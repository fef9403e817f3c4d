namespace LoadTesting.Tool;

/// <summary>How pairs are recorded; kept beside them in <c>recording.json</c>.</summary>
/// <param name="Base">Command of the base legs.</param>
/// <param name="Candidate">Command of the candidate legs.</param>
/// <param name="Pairs">Valid pairs that are wanted.</param>
/// <param name="Seed">Decides the order of the legs.</param>
/// <param name="Timeout">Longest time of one leg.</param>
internal sealed record PairRecording(string Base, string Candidate, int Pairs, int Seed, TimeSpan Timeout);
