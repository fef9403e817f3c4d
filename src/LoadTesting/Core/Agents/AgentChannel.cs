using System.Buffers.Binary;
using System.Security.Cryptography;

namespace LoadTesting.Core.Agents;

/// <summary>An agent, or what it measured, cannot be used; the message names the agent.</summary>
public sealed class AgentException(string message, Exception? inner = null) : Exception(message, inner);

/// <summary>What goes over the connection of an agent.</summary>
internal enum AgentMessageKind
{
    /// <summary>Coordinator: who it is to prove itself to.</summary>
    Hello,

    /// <summary>Agent: its name and proof.</summary>
    Join,

    /// <summary>Coordinator: its own proof; the agent takes part.</summary>
    Welcome,

    /// <summary>Coordinator: which part of which load.</summary>
    Prepare,

    /// <summary>Coordinator: why the agent may not take part.</summary>
    Refuse,

    /// <summary>Agent: prepared and warmed up.</summary>
    Ready,

    /// <summary>Coordinator: what do your clocks say?</summary>
    Ping,

    /// <summary>Agent: its clocks.</summary>
    Pong,

    /// <summary>Coordinator: the instant of the start, by the agent's clock.</summary>
    Start,

    /// <summary>Coordinator: nothing more is to start, and what there is will be kept; with a reason where a rule of the load says so.
    /// </summary>
    Interrupt,

    /// <summary>Agent: all that it began is over, and it waits for the system to be idle.</summary>
    Settled,

    /// <summary>Coordinator: when the system was idle, by the agent's clock.</summary>
    Idle,

    /// <summary>Agent: still there, and what its load has come to since it last said so.</summary>
    Alive,

    /// <summary>Agent: what it measured.</summary>
    Result,

    /// <summary>Coordinator: the system was asked; is there anything more to be heard of it?</summary>
    Conclude,

    /// <summary>Agent: what it heard.</summary>
    Concluded,

    /// <summary>Coordinator: there is no more load.</summary>
    End,

    /// <summary>Agent: it failed, and why.</summary>
    Fail,
}

/// <summary>One message; each kind has its members, and the others are null.</summary>
internal sealed record AgentMessage(AgentMessageKind Kind)
{
    public string? Name { get; init; }
    public string? Host { get; init; }
    public string? Nonce { get; init; }
    public string? Proof { get; init; }
    public string? Text { get; init; }
    public int Index { get; init; }
    public int Of { get; init; }
    public int ProcessId { get; init; }

    /// <summary>Nanoseconds of the agent's monotonic clock.</summary>
    public long Nanoseconds { get; init; }

    /// <summary>The agent's UTC, ticks of 100 ns.</summary>
    public long UtcTicks { get; init; }

    /// <summary>What its load has come to since it last said so, by scenario, in their order.</summary>
    public IReadOnlyList<ScenarioSeconds>? Seconds { get; init; }

    /// <summary>Latencies of the operations that completed since it last said so, by scenario, in their order.</summary>
    public IReadOnlyList<LatencyHistogram>? Latencies { get; init; }

    /// <summary>What its process holds now.</summary>
    public ProcessReading? Process { get; init; }

    public AgentMeasurement? Measurement { get; init; }
    public AgentEvents? Events { get; init; }
}

/// <summary>
/// Messages over one TCP connection: four bytes of length, big endian, then JSON. Both sides prove that they know the token (HMAC-SHA256
/// over the other's nonce), which never crosses the wire; nothing is encrypted.
/// </summary>
internal sealed class AgentChannel(Socket socket) : IDisposable
{
    /// <summary>What an agent calls itself and the proofs fit; more than that from somebody unknown is no agent.</summary>
    private const int LongestBeforeProof = 16 * 1024;

    private const int Longest = 256 * 1024 * 1024;

    private static readonly JsonSerializerOptions Json = new()
    {
        IgnoreReadOnlyProperties = true,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
        Converters = { new JsonStringEnumConverter(), new HistogramConverter(), new SizeConverter() },
    };

    private readonly NetworkStream _stream = new(socket, ownsSocket: true);
    private readonly SemaphoreSlim _gate = new(1, 1);

    /// <summary>Whether the other side has proved itself: only then may a message be long.</summary>
    public bool IsTrusted { get; set; }

    public static string Nonce() => Convert.ToHexString(RandomNumberGenerator.GetBytes(16));

    /// <summary>Proves to who made the nonce that the token is known, as agent or coordinator.</summary>
    public static string Proof(string token, string role, string nonce) =>
        Convert.ToHexString(HMACSHA256.HashData(Encoding.UTF8.GetBytes(token), Encoding.UTF8.GetBytes($"{role} {nonce}")));

    /// <summary>What only those who know the token know too, and what neither of them has proved it with.</summary>
    public static string SecretOf(string token) => Proof(token, "shared", "secret");

    public static bool IsProof(string? given, string token, string role, string nonce) =>
        given is not null && CryptographicOperations.FixedTimeEquals(
            Encoding.ASCII.GetBytes(given), Encoding.ASCII.GetBytes(Proof(token, role, nonce)));

    public async Task SendAsync(AgentMessage message, CancellationToken cancellationToken)
    {
        var body = JsonSerializer.SerializeToUtf8Bytes(message, Json);
        var frame = new byte[sizeof(int) + body.Length];
        BinaryPrimitives.WriteInt32BigEndian(frame, body.Length);
        body.CopyTo(frame, sizeof(int));
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await _stream.WriteAsync(frame, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <exception cref="EndOfStreamException">The other side closed the connection.</exception>
    /// <exception cref="InvalidDataException">It sent something else than a message.</exception>
    public async Task<AgentMessage> ReceiveAsync(CancellationToken cancellationToken)
    {
        var length = new byte[sizeof(int)];
        await _stream.ReadExactlyAsync(length, cancellationToken).ConfigureAwait(false);
        var size = BinaryPrimitives.ReadInt32BigEndian(length);
        if (size < 1 || size > (IsTrusted ? Longest : LongestBeforeProof))
        {
            throw new InvalidDataException("it sent something else than a message");
        }

        var body = new byte[size];
        await _stream.ReadExactlyAsync(body, cancellationToken).ConfigureAwait(false);
        try
        {
            return JsonSerializer.Deserialize<AgentMessage>(body, Json) ?? throw new InvalidDataException("it sent nothing as a message");
        }
        catch (Exception exception) when (exception is JsonException or FormatException)
        {
            throw new InvalidDataException(
                $"it sent a message that cannot be read; is it of this version? {exception.Message}", exception);
        }
    }

    public void Dispose()
    {
        _stream.Dispose();
        _gate.Dispose();
    }

    private sealed class HistogramConverter : JsonConverter<LatencyHistogram>
    {
        public override LatencyHistogram Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            LatencyHistogram.Parse(reader.GetString()!);

        public override void Write(Utf8JsonWriter writer, LatencyHistogram value, JsonSerializerOptions options) =>
            writer.WriteStringValue(value.ToSparseString());
    }

    private sealed class SizeConverter : JsonConverter<SizeDistribution>
    {
        public override SizeDistribution Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            new(LatencyHistogram.Parse(reader.GetString()!));

        public override void Write(Utf8JsonWriter writer, SizeDistribution value, JsonSerializerOptions options) =>
            writer.WriteStringValue(value.Histogram.ToSparseString());
    }
}
