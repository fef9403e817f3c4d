using System.Net;
using System.Net.Sockets;

namespace PerformanceTests.Calibration;

/// <summary>
/// An open load on a thread pool that gets one thread more than there are cores and no further ones. A body takes so
/// long that, if it holds its thread meanwhile, they can serve half the rate: on any machine the backlog then grows as
/// long as arrivals come.
/// </summary>
internal static class BlockedPool
{
    public const int RatePerSecond = 100;

    /// <param name="during">How long arrivals come.</param>
    /// <param name="limits">What the generator is held to.</param>
    /// <param name="blocks">Whether bodies hold their threads; otherwise they take as long without one.</param>
    public static Task<LoadResult> RunAsync(TimeSpan during, GeneratorHealthLimits limits, bool blocks = true) =>
        OnFewThreadsAsync(threads => RunAsync(
            async context =>
            {
                await HoldAsync(TimeSpan.FromSeconds(threads / (RatePerSecond / 2.0)), blocks, context);
                return Response.Ok();
            },
            Simulation.Inject(RatePerSecond, TimeSpan.FromSeconds(1), during), limits));

    /// <summary>
    /// A closed load of many copies whose answer comes after 20 ms and is handled for 2 ms on a thread: as a client of
    /// a quick service does that has more copies than its threads can serve.
    /// </summary>
    public static Task<LoadResult> ContinueLateAsync(GeneratorHealthLimits limits) =>
        OnFewThreadsAsync(threads => RunAsync(
        async context =>
        {
            await Task.Delay(20, context.ScenarioCancellationToken);
            await HoldAsync(TimeSpan.FromMilliseconds(2), blocks: true, context);
            return Response.Ok();
        },
        Simulation.KeepConstant(50 * threads, TimeSpan.FromSeconds(2)), limits));

    /// <summary>As <see cref="ContinueLateAsync"/>, but the answer comes over a connection, at once.</summary>
    public static Task<LoadResult> AnswerLateAsync(GeneratorHealthLimits limits) => OnFewThreadsAsync(async threads =>
    {
        var copies = 50 * threads;
        using var service = new EchoService(copies);
        var clients = new ConcurrentBag<Socket>(service.Clients);
        return await RunAsync(
            async context =>
            {
                Assert.True(clients.TryTake(out var client));
                var buffer = new byte[1];
                await client.SendAsync(buffer.AsMemory(), context.ScenarioCancellationToken);
                await client.ReceiveAsync(buffer.AsMemory(), context.ScenarioCancellationToken);
                clients.Add(client);
                await HoldAsync(TimeSpan.FromMilliseconds(2), blocks: true, context);
                return Response.Ok();
            },
            Simulation.KeepConstant(copies, TimeSpan.FromSeconds(2)), limits);
    });

    private static Task<LoadResult> RunAsync(
        Func<IScenarioContext, Task<IResponse>> body, LoadSimulation load, GeneratorHealthLimits limits) =>
        new LoadRunner().RunAsync(
            [Scenario.Create("blocking", body).WithLoadSimulations(load)], new LoadOptions { HealthLimits = limits },
            Cancel);

    private static async Task HoldAsync(TimeSpan hold, bool blocks, IScenarioContext context)
    {
        if (blocks)
        {
            using var never = new ManualResetEventSlim();
            never.Wait(hold, CancellationToken.None);
        }
        else
        {
            await Task.Delay(hold, context.ScenarioCancellationToken);
        }
    }

    /// <summary>
    /// Runs something that is given the number of threads which the pool has for it: one for each core, and one more.
    /// </summary>
    public static async Task<T> OnFewThreadsAsync<T>(Func<int, Task<T>> run)
    {
        ThreadPool.GetMinThreads(out var minimum, out var minimumIo);
        ThreadPool.GetMaxThreads(out var maximum, out var maximumIo);
        var threads = Math.Max(Environment.ProcessorCount, minimum) + 1;
        var limit = threads + await HeldAsync();
        Assert.True(ThreadPool.SetMaxThreads(limit, maximumIo) && ThreadPool.SetMinThreads(limit, minimumIo),
            $"the thread pool cannot be limited to {limit} threads (minimum {minimum}, {minimumIo})");
        try
        {
            return await run(threads);
        }
        finally
        {
            ThreadPool.SetMinThreads(minimum, minimumIo);
            ThreadPool.SetMaxThreads(maximum, maximumIo);
        }
    }

    /// <summary>
    /// Threads of the pool on which the host of the tests waits all the time. What works for a moment is not among
    /// them.
    /// </summary>
    private static async Task<int> HeldAsync()
    {
        var held = int.MaxValue;
        for (var look = 0; look < 10; look++)
        {
            await Task.Delay(10, Cancel);
            ThreadPool.GetMaxThreads(out var maximum, out _);
            ThreadPool.GetAvailableThreads(out var available, out _);
            held = Math.Min(held, maximum - available - (Thread.CurrentThread.IsThreadPoolThread ? 1 : 0));
        }

        return held;
    }
}

/// <summary>Sends every byte back, from a thread of its own that is none of the pool's.</summary>
internal sealed class EchoService : IDisposable
{
    private readonly List<Socket> _connections = [];

    public EchoService(int connections)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        for (var i = 0; i < connections; i++)
        {
            var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            client.Connect(listener.LocalEndpoint);
            Clients.Add(client);
            _connections.Add(listener.AcceptSocket());
        }

        new Thread(Run) { IsBackground = true }.Start();
    }

    public List<Socket> Clients { get; } = [];

    /// <summary>Ends the connections, and the thread with the last of them.</summary>
    public void Dispose() => Clients.ForEach(client => client.Dispose());

    private void Run()
    {
        var buffer = new byte[1];
        while (_connections.Count > 0)
        {
            var ready = new List<Socket>(_connections);
            Socket.Select(ready, null, null, Timeout.InfiniteTimeSpan);
            foreach (var connection in ready)
            {
                if (connection.Receive(buffer) > 0)
                {
                    connection.Send(buffer);
                }
                else
                {
                    _connections.Remove(connection);
                    connection.Dispose();
                }
            }
        }
    }
}
