namespace LoadTesting.Core.Load;

/// <summary>Times a named part of an iteration.</summary>
public static class Step
{
    /// <summary>
    /// Runs <paramref name="run"/> and records its duration under <paramref name="name"/>. An exception is recorded as a failure
    /// (<see cref="FailureCodes"/>). The end is the response's own <see cref="IResponse.EndTimestamp"/> where it has one.
    /// </summary>
    /// <param name="name">The step; not empty.</param>
    /// <param name="context">The iteration.</param>
    /// <param name="run">What is timed.</param>
    /// <returns>The response of <paramref name="run"/>, or the failure that an exception became.</returns>
    /// <exception cref="StepFailedException">The step failed and the scenario restarts its iteration on a failure, which is the
    /// default.</exception>
    public static Task<Response<T>> Run<T>(string name, IScenarioContext context, Func<Task<Response<T>>> run)
    {
        Check(name, context, run);
        if (HostOf(context) is { } host)
        {
            return HostedAsync(host, name, context, run, FailureCodes.ResponseTo<T>);
        }

        var start = Stopwatch.GetTimestamp();
        Task<Response<T>> task;
        try
        {
            task = run();
        }
        catch (Exception exception)
        {
            task = Task.FromResult(FailureCodes.ResponseTo<T>(exception));
        }

        // A step that has ended already, and well, gives back its own task: nothing is allocated for it.
        if (task is not { IsCompletedSuccessfully: true } || task.GetAwaiter().GetResult() is not { IsError: false } ended)
        {
            return AwaitAsync(name, context, start, task);
        }

        Finish(name, context, start, Stopwatch.GetTimestamp(), ended);
        return task;
    }

    /// <inheritdoc cref="Run{T}(string, IScenarioContext, Func{Task{Response{T}}})"/>
    public static async Task<IResponse> Run(string name, IScenarioContext context, Func<Task<IResponse>> run)
    {
        Check(name, context, run);
        if (HostOf(context) is { } host)
        {
            return await HostedAsync(host, name, context, run, FailureCodes.ResponseTo<object>).ConfigureAwait(false);
        }

        var start = Stopwatch.GetTimestamp();
        IResponse response;
        try
        {
            response = await (run() ?? NoResponse<Task<IResponse>>(name)).ConfigureAwait(false) ?? NoResponse<IResponse>(name);
        }
        catch (Exception exception)
        {
            response = FailureCodes.ResponseTo<object>(exception);
        }

        Finish(name, context, start, Stopwatch.GetTimestamp(), response);
        return response;
    }

    private static IStepHost? HostOf(IScenarioContext context) => (context as ScenarioInstance)?.Host;

    /// <summary>
    /// Lets an external engine run the step; what the body returned counts, and its time alone: the engine's own work around it is none of
    /// the system's.
    /// </summary>
    private static async Task<TResponse> HostedAsync<TResponse>(
        IStepHost host, string name, IScenarioContext context, Func<Task<TResponse>> run, Func<Exception, TResponse> failure)
        where TResponse : class, IResponse
    {
        TResponse? response = null;
        var (start, end) = (0L, 0L);
        await host.RunAsync(name, async () =>
        {
            start = Stopwatch.GetTimestamp();
            try
            {
                response = await (run() ?? NoResponse<Task<TResponse>>(name)).ConfigureAwait(false) ?? NoResponse<TResponse>(name);
            }
            catch (Exception exception)
            {
                response = failure(exception);
            }

            end = Stopwatch.GetTimestamp();
            return response;
        }).ConfigureAwait(false);
        Finish(name, context, start, end, response ?? throw new InvalidOperationException($"The load engine did not run step '{name}'."));
        return response;
    }

    private static async Task<Response<T>> AwaitAsync<T>(string name, IScenarioContext context, long start, Task<Response<T>>? task)
    {
        Response<T> response;
        try
        {
            response = await (task ?? NoResponse<Task<Response<T>>>(name)).ConfigureAwait(false) ?? NoResponse<Response<T>>(name);
        }
        catch (Exception exception)
        {
            response = FailureCodes.ResponseTo<T>(exception);
        }

        Finish(name, context, start, Stopwatch.GetTimestamp(), response);
        return response;
    }

    private static void Check(string name, IScenarioContext context, Delegate run)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(context);
        ArgumentNullException.ThrowIfNull(run);
    }

    private static void Finish(string name, IScenarioContext context, long start, long seenEnd, IResponse response)
    {
        context.RecordStep(name, start, response.EndTimestamp ?? seenEnd, response);
        if (response.IsError && context.RestartIterationOnFail)
        {
            throw new StepFailedException(name, response);
        }
    }

    private static T NoResponse<T>(string name) =>
        throw new InvalidOperationException($"Step '{name}' returned null; return Response.Ok() or Response.Fail().");
}

/// <summary>A load engine of elsewhere that keeps figures of its own on steps.</summary>
public interface IStepHost
{
    /// <summary>
    /// Calls <paramref name="run"/> exactly once and hears how it ended. Must not throw because of a failure: what follows from one is
    /// decided by the scenario.
    /// </summary>
    /// <param name="run">Its body; never throws.</param>
    Task RunAsync(string name, Func<Task<IResponse>> run);
}

/// <summary>Ends an iteration after a failed step; the engine counts the iteration as failed with the step's status code.</summary>
public sealed class StepFailedException : Exception
{
    public StepFailedException(string stepName, IResponse response)
        : base($"Step '{stepName}' failed with status code '{(response ?? throw new ArgumentNullException(nameof(response))).StatusCode}': "
            + $"{response.Message}")
    {
        StepName = stepName;
        Response = response;
    }

    public string StepName { get; }
    public IResponse Response { get; }
}
