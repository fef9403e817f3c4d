using System.Net.Security;

namespace LoadTesting.Core.Http;

/// <summary>Limits of a sender.</summary>
public sealed record HttpSenderOptions
{
    /// <summary>
    /// From the call to the last byte of the response, including connecting. Default 30 s; accurate to 50 ms.
    /// </summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Limit of status line and headers, including informational responses and trailers. Default 64 KiB.
    /// </summary>
    public int MaxHeadBytes { get; init; } = 64 << 10;

    /// <summary>Limit of the body, kept or not. Default 64 MiB.</summary>
    public int MaxBodyBytes { get; init; } = 64 << 20;

    /// <summary>
    /// Validates the server's certificate; null (the default) to use the system's validation. Return true to accept
    /// any.
    /// </summary>
    public RemoteCertificateValidationCallback? CertificateValidation { get; init; }

    /// <summary>
    /// Lean sender over plain HTTP on Linux: the thread that receives a response also continues the iteration up to its
    /// next wait, without the thread pool. Bodies must neither block nor compute for long, because all other workers of
    /// that thread wait meanwhile; <see cref="HttpSender.LongestHold"/> reports how long. Default false: iterations
    /// continue on the thread pool.
    /// </summary>
    public bool ContinuesInline { get; init; }

    /// <summary>Clock and timer of <see cref="Timeout"/>.</summary>
    internal TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    internal long TimeoutTicks => (long)(Timeout.TotalSeconds * TimeProvider.TimestampFrequency);

    /// <summary>Interval at which a sender checks for late requests.</summary>
    internal TimeSpan CheckInterval =>
        TimeSpan.FromTicks(
            Math.Clamp(Timeout.Ticks / 10, TimeSpan.FromMilliseconds(5).Ticks, TimeSpan.FromMilliseconds(50).Ticks));

    /// <exception cref="ArgumentException">Limits are not positive; the message lists all of them.</exception>
    internal void Validate()
    {
        var wrong = new List<string>();
        if (Timeout <= TimeSpan.Zero || Timeout > TimeSpan.FromDays(1))
        {
            wrong.Add($"Timeout {Timeout} is not between 0 and one day");
        }

        if (MaxHeadBytes is < 64 or > 1 << 30)
        {
            wrong.Add($"MaxHeadBytes {MaxHeadBytes} is not between 64 and {1 << 30}");
        }

        if (MaxBodyBytes < 0)
        {
            wrong.Add($"MaxBodyBytes {MaxBodyBytes} is negative");
        }

        if (wrong.Count > 0)
        {
            throw new ArgumentException($"The sender's options cannot be used: {string.Join("; ", wrong)}.");
        }
    }
}
