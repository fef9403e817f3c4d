using System.Net.Sockets;
using LoadTesting.Core.Http;
using UnitTests.LoadTesting.Load;

namespace UnitTests.LoadTesting.Http;

/// <summary>Allocations of the generator. They are counted, so growth fails on any machine and in any noise.</summary>
[Collection(TimedCollection.Name)]
public sealed class CountedCostTests
{
    private static readonly PreparedRequest s_get = PreparedRequest.Get("/");
    private static readonly Task<Response<object>> s_done = Task.FromResult(Response.Ok());
    private static readonly Func<Task<Response<object>>> s_nothing = () => s_done;
    private static readonly Func<Task<Response<object>>> s_yielding = async () =>
    {
        await Task.Yield();
        return Response.Ok();
    };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Request_of_the_lean_sender_allocates_nothing(bool isInline)
    {
        using var server = new NoAllocationServer();
        using var sender = HttpSender.Lean(server.Address, new() { ContinuesInline = isInline });

        Assert.InRange(await SlopeAsync(SendAsync, 2_000), 0, 8);

        async Task SendAsync(int count)
        {
            for (var sent = 0; sent < count; sent++)
            {
                var reply = await sender.SendAsync(0, s_get, default, Cancel).ConfigureAwait(false);
                Assert.True(reply.IsSuccess, reply.Detail);
            }
        }
    }

    [Fact]
    public async Task Iteration_over_the_lean_sender_allocates_its_own_task_only()
    {
        using var server = new NoAllocationServer();
        using var sender = HttpSender.Lean(server.Address, new() { ContinuesInline = true });

        Assert.InRange(
            await SlopeAsync(
                count => IterateAsync(4, count, async context => (await sender.SendAsync(context, s_get)).Response),
                2_000),
            0, 300);
    }

    [Fact]
    public async Task Empty_step_allocates_at_most_50_bytes()
    {
        var one = await SlopeAsync(count => IterateAsync(8, count, context => StepsAsync(context, 1)), 20_000);
        var four = await SlopeAsync(count => IterateAsync(8, count, context => StepsAsync(context, 4)), 20_000);

        Assert.InRange((four - one) / 3, -10, 50);

        static async Task<IResponse> StepsAsync(IScenarioContext context, int steps)
        {
            for (var step = 0; step < steps; step++)
            {
                await Step.Run("step", context, s_nothing);
            }

            return Response.Ok();
        }
    }

    [Fact]
    public async Task Step_that_yields_allocates_only_its_task()
    {
        var own = await SlopeAsync(
            count => IterateAsync(8, count, async _ =>
            {
                await s_yielding();
                await s_yielding();
                await s_yielding();
                return Response.Ok();
            }),
            20_000);
        var steps = await SlopeAsync(
            count => IterateAsync(8, count, async context =>
            {
                await Step.Run("start", context, s_yielding);
                await Step.Run("signal", context, s_yielding);
                await Step.Run("completion", context, s_yielding);
                return Response.Ok();
            }),
            20_000);

        // Of these 610 bytes, 385 are the tasks of the scenario's own four async methods.
        Assert.InRange(steps, own, 640);
        Assert.InRange((steps - own) / 3, 0, 80);
    }

    private static async Task IterateAsync(int copies, int count, Func<IScenarioContext, Task<IResponse>> body)
    {
        var scenario =
            Scenario.Create("cost", body).WithLoadSimulations(Simulation.IterationsForConstant(copies, count));
        var result = await new LoadRunner().RunAsync([scenario], new LoadOptions(), Cancel);
        Assert.Equal(count, result.Scenarios[0].Ok.Count);
    }

    /// <summary>
    /// Bytes for each further step, without what is allocated once. The smallest of three measurements counts.
    /// </summary>
    private static async Task<double> SlopeAsync(Func<int, Task> runAsync, int count)
    {
        await runAsync(count);
        var least = double.MaxValue;
        for (var round = 0; round < 3; round++)
        {
            var start = GC.GetTotalAllocatedBytes(precise: true);
            await runAsync(count);
            var middle = GC.GetTotalAllocatedBytes(precise: true);
            await runAsync(4 * count);
            var end = GC.GetTotalAllocatedBytes(precise: true);
            least = Math.Min(least, ((end - middle) - (middle - start)) / (3.0 * count));
        }

        return Math.Max(0, least);
    }

    /// <summary>Answers on its own threads without an allocation, so that all allocations are the client's.</summary>
    private sealed class NoAllocationServer : IDisposable
    {
        private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

        public NoAllocationServer()
        {
            _listener.Start();
            new Thread(Accept) { IsBackground = true }.Start();
        }

        public Uri Address => new($"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}");

        public void Dispose() => _listener.Stop();

        private void Accept()
        {
            try
            {
                while (true)
                {
                    var socket = _listener.AcceptSocket();
                    socket.NoDelay = true;
                    new Thread(() => Answer(socket)) { IsBackground = true }.Start();
                }
            }
            catch (SocketException)
            {
                // The listener was stopped.
            }
        }

        private static void Answer(Socket socket)
        {
            var answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"u8.ToArray();
            var buffer = new byte[4096];
            using (socket)
            {
                // One small request at a time comes in one piece.
                while (socket.Receive(buffer, 0, buffer.Length, SocketFlags.None, out var error) > 0
                    && error == SocketError.Success)
                {
                    socket.Send(answer);
                }
            }
        }
    }
}
