using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using LoadTesting.Data;
using LoadTesting.Data.CSharp;

namespace CompatibilityTests.Examples;

public class DataFeedExample
{
    private IDataFeed<User> _constant = null!;
    private IDataFeed<User> _circular = null!;
    private IDataFeed<int> _random = null!;

    public ConcurrentBag<(int Copy, int User)> Constant { get; } = [];
    public ConcurrentBag<int> Circular { get; } = [];
    public ConcurrentBag<int> Random { get; } = [];

    public NodeStats Run()
    {
        var scenario = Scenario.Create("data_feed", async context =>
        {
            await Task.Delay(1);
            Constant.Add((context.ScenarioInfo.InstanceNumber, _constant.GetNextItem(context.ScenarioInfo).Id));
            Circular.Add(_circular.GetNextItem(context.ScenarioInfo).Id);
            Random.Add(_random.GetNextItem(context.ScenarioInfo));
            return Response.Ok();
        })
        .WithInit(context =>
        {
            _constant = DataFeed.Constant(Data.LoadCsv<User>("Examples/users.csv"));
            _circular = DataFeed.Circular(Data.LoadJson<User[]>("Examples/users.json"));
            _random = DataFeed.Random(Enumerable.Range(100, 10));
            return Task.CompletedTask;
        })
        .WithoutWarmUp()
        .WithLoadSimulations(Simulation.IterationsForConstant(copies: 3, iterations: 40));

        return NBomberRunner.RegisterScenarios(scenario).WithoutReports().Run();
    }
}
