using LoadTesting.Core.Load;

namespace Benchmarks;

/// <summary>Eight clients, each with one request at a time.</summary>
internal sealed class WaitingScenario(WaitingService service, TimeSpan load)
    : ServiceScenario("waits", TierNames.Throughput, Simulation.KeepConstant(Clients, load))
{
    private const int Clients = 8;

    public override string Question => "How long does a request take whose service waits?";

    public override IReadOnlyList<string> Phases => ["request"];

    protected override async Task<IResponse> RunAsync(ServiceOperation operation)
    {
        await operation.SendAsync("request", service.GetAsync);
        return operation.Completed();
    }
}
