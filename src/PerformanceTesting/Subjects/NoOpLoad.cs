using LoadTesting.Core.Http;

namespace PerformanceTesting.Subjects;

/// <summary>Requests to a route of a service that does nothing, sent as starts are.</summary>
internal static class NoOpLoad
{
    private static readonly TimeSpan Span = TimeSpan.FromSeconds(2);

    /// <summary>The load of a number of clients, after a warm-up of the same length.</summary>
    public static ScenarioProps Of(Uri service, int clients)
    {
        HttpSender? sender = null;
        var nothing = PreparedRequest.Get("/" + HttpCeiling.Route);
        return Scenario.Create("no-op", async context => (await sender!.SendAsync(context, nothing)).Response)
            .WithInit(_ =>
            {
                sender = HttpSender.Lean(service);
                return Task.CompletedTask;
            })
            .WithWarmUpDuration(Span).WithLoadSimulations(Simulation.KeepConstant(clients, Span))
            .WithClean(_ =>
            {
                sender?.Dispose();
                return Task.CompletedTask;
            });
    }

    /// <exception cref="WebServiceException">A request failed.</exception>
    public static double PerSecond(LoadResult result)
    {
        ScenarioStats?[] parts = [result.Scenarios[0].WarmUp, result.Scenarios[0]];
        return Array.Find(parts, part => part is { Fail.Count: > 0 }) is { } failed
            ? throw new WebServiceException(
                $"{failed.Fail.Count} requests that do nothing failed: {failed.Errors[0].Message}")
            : result.Scenarios[0].Ok.RatePerSecond;
    }
}
