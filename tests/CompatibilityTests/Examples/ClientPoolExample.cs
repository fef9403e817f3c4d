using LoadTesting;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests.Examples;

public class ClientPoolExample
{
    public sealed class Connection(int number)
    {
        public int Number => number;
        public int Calls;
        public bool IsClosed;
    }

    public List<Connection> Connections { get; } = [];

    public NodeStats Run()
    {
        var clientPool = new ClientPool<Connection>();

        var scenario = Scenario.Create("client_pool", async context =>
        {
            var client = clientPool.GetClient(context.ScenarioInfo);

            await Step.Run("ping", context, async () =>
            {
                await Task.Delay(5);
                Interlocked.Increment(ref client.Calls);
                return client.Number == context.ScenarioInfo.InstanceNumber % 3 ? Response.Ok() : Response.Fail();
            });

            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 6, iterations: 60))
        .WithInit(async context =>
        {
            for (var i = 0; i < 3; i++)
            {
                await Task.Yield();
                clientPool.AddClient(new Connection(i));
            }

            Connections.AddRange(clientPool.Clients);
        })
        .WithClean(context =>
        {
            clientPool.DisposeClients(client => client.IsClosed = true);
            return Task.CompletedTask;
        });

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }
}
