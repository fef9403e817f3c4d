namespace LoadTesting.Core.Results;

/// <summary>Writes a recorded load model for people.</summary>
internal static partial class LoadModelText
{
    /// <summary>
    /// The load model with short durations, such as <c>inject 200 per 1s for 6s, even</c>. Unlike models stay unlike.
    /// </summary>
    public static string Of(string loadModel) => Clock().Replace(loadModel, Short);

    // A shorter text would round a fraction of a millisecond.
    private static string Short(Match time) =>
        DurationText.TryRead(time.Value, out var duration) && duration.Ticks % TimeSpan.TicksPerMillisecond == 0
            ? DurationText.Write(duration)
            : time.Value;

    [GeneratedRegex(@"(?<![0-9.:])(?:[0-9]+\.)?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?")]
    private static partial Regex Clock();
}
