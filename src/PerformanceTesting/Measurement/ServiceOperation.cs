using System.Net;

namespace PerformanceTesting.Measurement;

/// <summary>One operation on a service: sends its requests, awaits its event and accounts for both.</summary>
public sealed class ServiceOperation
{
    private readonly IScenarioContext _context;
    private readonly OperationBatch _batch;
    private readonly Operation _operation;
    private long _sent;

    internal ServiceOperation(IScenarioContext context, OperationBatch batch) =>
        (_context, _batch, _operation) = (context, batch, batch.Begin(context.IntendedTimestamp));

    /// <summary>Unique; requests and events of the operation carry it. The wait for its event has begun.</summary>
    public string Key => _operation.Key;

    /// <summary>Cancelled when the run is cut.</summary>
    public CancellationToken CancellationToken => _context.ScenarioCancellationToken;

    /// <summary>The iteration, for further steps.</summary>
    public IScenarioContext Context => _context;

    /// <summary>
    /// Sends the request that makes the operation exist, as a step. 200 to 299 accepts it; 400 to 499 and 503 refuse
    /// it, so that it has no effect and no event; after any other answer, and after none, its effect is unknown. All
    /// but the first end the operation as failed.
    /// </summary>
    /// <param name="step">Name of the step, and of the phase.</param>
    public async Task SendAsync(string step, Func<CancellationToken, Task<HttpResponseMessage>> send)
    {
        ArgumentNullException.ThrowIfNull(send);
        _sent = Stopwatch.GetTimestamp();
        await Step.Run(step, _context, async () =>
        {
            var status = await _batch.SendAsync(
                _operation,
                async () =>
                {
                    using var response = await send(CancellationToken);
                    return response.IsSuccessStatusCode || IsRefusal(response.StatusCode)
                        ? response.StatusCode
                        : throw new HttpRequestException(
                            $"{step} was answered with {(int)response.StatusCode}, "
                                + "which leaves open whether it has an effect.");
                },
                isAccepted: answer => !IsRefusal(answer));
            return IsRefusal(status)
                ? Response.Fail($"{(int)status}", $"{step} was refused") : Response.Ok($"{(int)status}");
        });
    }

    /// <summary>Awaits the scenario's completion event, which ends the operation.</summary>
    /// <param name="phase">
    /// Name of the phase from just before the request left to the first line of the event's consumer.
    /// </param>
    public async Task<IResponse> CompletedByEventAsync(string phase)
    {
        var arrival = await _operation.Completion.Arrival;
        _context.RecordStep(phase, _sent, arrival.Timestamp, isOk: !arrival.IsLost);
        await _batch.EndAsync(_operation, CancellationToken);
        return arrival.IsLost
            ? Response.Fail("lost", $"no event for {Key} in time")
            : Response.Ok(endTimestamp: arrival.Timestamp);
    }

    /// <summary>The last answer ended the operation.</summary>
    public IResponse Completed()
    {
        var now = Stopwatch.GetTimestamp();
        _batch.Complete(_operation, now);
        return Response.Ok(endTimestamp: now);
    }

    internal void Leave() => _batch.Leave(_operation);

    private static bool IsRefusal(HttpStatusCode status) => (int)status is (>= 400 and < 500) or 503;
}
