namespace LoadTesting.Core.Http;

/// <summary>
/// Threads that wait for responses on many connections at once (epoll(7), edge-triggered) and run continuations inline,
/// without the thread pool. Compared with the runtime's sockets this saves an empty receive, a queue and a second
/// thread.
/// </summary>
internal sealed class EpollLoops : IDisposable
{
    private const int MostLoops = 8;
    private readonly EpollLoop[] _loops;
    private int _next;

    private EpollLoops(EpollLoop[] loops) => _loops = loops;

    /// <summary>Linux of 64 bits.</summary>
    internal static bool IsSupported { get; } = OperatingSystem.IsLinux() && Environment.Is64BitProcess;

    internal TimeSpan LongestHold => _loops.Max(loop => loop.LongestHold);

    /// <summary>
    /// Starts a loop for half of the processors. The others are for the rest of the generator, or for a server on the
    /// same machine.
    /// </summary>
    internal static EpollLoops Start() =>
        new([.. Enumerable.Range(0, Math.Clamp(Environment.ProcessorCount / 2, 1, MostLoops))
            .Select(_ => new EpollLoop())]);

    /// <summary>Connects without blocking a thread. The wire then owns the socket.</summary>
    /// <exception cref="SocketException">Refused, or not reachable.</exception>
    internal Task<EpollWire> ConnectAsync(Socket socket, IPEndPoint endpoint, CancellationToken cancellationToken) =>
        _loops[(uint)Interlocked.Increment(ref _next) % (uint)_loops.Length]
            .ConnectAsync(socket, endpoint, cancellationToken);

    public void Dispose()
    {
        foreach (var loop in _loops)
        {
            loop.Dispose();
        }
    }
}
