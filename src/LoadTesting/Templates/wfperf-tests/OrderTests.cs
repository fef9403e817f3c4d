using LoadTesting.Core.Load;
using PerformanceTesting.Measurement;
using PerformanceTesting.XunitV3;
using WfPerfTests;
using Xunit;
using Xunit.Sdk;
using Xunit.v3;

[assembly: AssemblyFixture(typeof(PerformanceRunFixture))]

// Two scenarios at once would measure each other.
[assembly: Parallelization(Mode = ParallelMode.None)]

namespace WfPerfTests;

/// <summary>The categories. dotnet test --filter Category=Smoke runs one of them.</summary>
public sealed class OrderTests(PerformanceRunFixture run)
{
    /// <summary>
    /// For every change: is each order shipped, once, and accounted for? Times are shown and fail nothing.
    /// </summary>
    [Fact, Trait("Category", "Smoke")]
    public Task Every_order_is_shipped_once() => run.MeasureAsync(
        OrderService.StartAsync,
        service => new OrderScenario(
            service, "order-shipped-smoke", "Smoke", Simulation.IterationsForConstant(copies: 4, iterations: 40)));

    /// <summary>
    /// For a quiet machine: how long does an order take, at a rate that does not wait for the service? 1,200 orders,
    /// for a p99 needs 1,000; the name ends with -xl, so that wfperf gate looks at the times too.
    /// </summary>
    [Fact, Trait("Category", "Latency")]
    public Task Orders_are_shipped_in_time() => run.MeasureAsync(
        OrderService.StartAsync,
        service => new OrderScenario(
            service, "order-shipped-latency-xl", "Latency",
            Simulation.Inject(rate: 100, interval: TimeSpan.FromSeconds(1), during: TimeSpan.FromSeconds(12)))
        {
            Limits =
            [
                Threshold.AtMost("failed", 0),
                Threshold.AtMost("p50Ms", 50),
                Threshold.AtMost("p95Ms", 250),
                Threshold.AtMost("p99Ms", 500),
            ],
            WarmUpOperations = 400,
        });
}

#if (evented)
/// <summary>
/// An order is taken over HTTP and shipped a little later: the operation lasts until the service's own event says so.
/// </summary>
#else
/// <summary>An order is sent over HTTP; the answer says that it is shipped, and ends the operation.</summary>
#endif
public sealed class OrderScenario(OrderService service, string name, string tier, LoadSimulation load)
    : ServiceScenario(name, tier, load)
{
#if (evented)
    public override string Question => "How long does an order take from its request to the event OrderShipped?";

    public override string? CompletionEvent => OrderService.OrderShipped;

    /// <summary>
    /// Each must have a sample for every operation. They overlap: both begin when the request leaves.
    /// </summary>
    public override IReadOnlyList<string> Phases => ["placeOrder", "orderToShipped"];

    protected override async Task<IResponse> RunAsync(ServiceOperation operation)
    {
        await operation.SendAsync("placeOrder", cancellation => service.SendAsync(operation.Key, cancellation));
        return await operation.CompletedByEventAsync("orderToShipped");
    }
#else
    public override string Question => "How long does an order take from its request to its answer?";

    /// <summary>Each must have a sample for every operation.</summary>
    public override IReadOnlyList<string> Phases => ["placeOrder"];

    protected override async Task<IResponse> RunAsync(ServiceOperation operation)
    {
        await operation.SendAsync("placeOrder", cancellation => service.SendAsync(operation.Key, cancellation));
        return operation.Completed();
    }
#endif
}
