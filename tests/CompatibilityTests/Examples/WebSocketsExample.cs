using LoadTesting;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using LoadTesting.Data;
using LoadTesting.WebSockets;

namespace CompatibilityTests.Examples;

public class WebSocketsExample(string address)
{
    private const int Copies = 3;

    public NodeStats Run()
    {
        var clientPool = new ClientPool<WebSocket>();
        var payload = Data.GenerateRandomBytes(100_000);

        var scenario = Scenario.Create("web_sockets", async context =>
        {
            var websocket = clientPool.GetClient(context.ScenarioInfo);

            await Step.Run("ping", context, async () =>
            {
                await websocket.Send(payload);
                return Response.Ok(sizeBytes: payload.Length);
            });

            await Step.Run("pong", context, async () =>
            {
                using var response = await websocket.Receive();
                return response.Data.Span.SequenceEqual(payload)
                    ? Response.Ok(sizeBytes: response.Data.Length) : Response.Fail("other");
            });

            return Response.Ok();
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(Copies, 30))
        .WithInit(async context =>
        {
            for (var i = 0; i < Copies; i++)
            {
                var websocket = new WebSocket(new WebSocketConfig());
                await websocket.Connect(address);
                clientPool.AddClient(websocket);
            }
        })
        .WithClean(async context =>
        {
            foreach (var client in clientPool.Clients)
            {
                await client.Close();
            }

            clientPool.DisposeClients();
        });

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }
}
