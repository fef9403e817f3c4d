using LoadTesting;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using LoadTesting.Http;
using LoadTesting.Http.CSharp;
using LoadTesting.Plugins.Network.Ping;

namespace CompatibilityTests.Examples;

public class HttpExample(string address)
{
    public NodeStats Run()
    {
        Http.GlobalJsonSerializerOptions =
            new JsonSerializerOptions { PropertyNamingPolicy = JsonNamingPolicy.CamelCase };
        using var httpClient = new HttpClient();

        var scenario = Scenario.Create("http_scenario", async context =>
        {
            var created = await Step.Run("create_user", context, async () =>
            {
                var request =
                    Http.CreateRequest("POST", $"{address}/users")
                        .WithHeader("Accept", "application/json")
                        .WithBody(
                            new StringContent("{ \"id\": 7, \"name\": \"Ada\" }", Encoding.UTF8, "application/json"));

                return await Http.Send(httpClient, request);
            });

            var user = await Step.Run("get_user", context, async () =>
            {
                var request = Http.CreateRequest("GET", $"{address}/users/7").WithHeader("Accept", "application/json");
                var response = await Http.Send<User>(httpClient, request);

                return response.Payload.Value.Data.Name == "user 7"
                    ? response : Response.Fail<HttpResponse<User>>("no name");
            });

            await Step.Run("update_user", context, async () =>
            {
                var request = Http.CreateRequest("PUT", $"{address}/users/7").WithJsonBody(user.Payload.Value.Data);
                var clientArgs = HttpClientArgs.Create(
                    context.ScenarioCancellationToken, httpCompletion: HttpCompletionOption.ResponseHeadersRead,
                    logger: context.Logger);

                return await Http.Send(httpClient, clientArgs, request);
            });

            return created.Payload.Value.Headers.Contains("x-served-by") ? Response.Ok() : Response.Fail("no header");
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 2, iterations: 20));

        return NBomberRunner
            .RegisterScenarios(scenario)
            .WithWorkerPlugins(
                new PingPlugin(PingPluginConfig.CreateDefault("127.0.0.1")),
                new HttpMetricsPlugin([LoadTesting.Http.HttpVersion.Version1]))
            .WithoutReports()
            .Run();
    }

    public NodeStats RunWithPool()
    {
        var clients = new ClientPool<HttpClient>();

        var scenario = Scenario.Create("http_with_pool", async context =>
        {
            var client = clients.GetClient(context.ScenarioInfo);
            return await Http.Send(
                client, Http.CreateRequest("GET", context.InvocationNumber % 4 == 0 ? "/missing" : "/users/1"));
        })
        .WithInit(context =>
        {
            foreach (var _ in Enumerable.Range(0, 2))
            {
                clients.AddClient(new HttpClient { BaseAddress = new Uri(address) });
            }

            return Task.CompletedTask;
        })
        .WithClean(context =>
        {
            clients.DisposeClients();
            return Task.CompletedTask;
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 1, iterations: 40));

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }
}
