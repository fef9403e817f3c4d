using System.Runtime.CompilerServices;

namespace LoadTesting.Core.Load;

/// <summary>Times a named part of an iteration.</summary>
public static class Step
{
    /// <summary>
    /// Runs <paramref name="run"/> and records its duration under <paramref name="name"/>. An exception is recorded as
    /// a failure (<see cref="FailureCodes"/>). The end is the response's <see cref="IResponse.EndTimestamp"/> if it has
    /// one.
    /// </summary>
    /// <param name="name">The step; not empty.</param>
    /// <param name="context">The iteration.</param>
    /// <param name="run">The body.</param>
    /// <returns>The response of <paramref name="run"/>, or the failure of an exception.</returns>
    /// <exception cref="StepFailedException">The step failed and the scenario restarts its iteration on a failure,
    /// which is the default.</exception>
    public static Task<Response<T>> Run<T>(string name, IScenarioContext context, Func<Task<Response<T>>> run) =>
        Run(name, context, run, FailureCodes.ResponseTo<T>);

    /// <inheritdoc cref="Run{T}(string, IScenarioContext, Func{Task{Response{T}}})"/>
    public static Task<IResponse> Run(string name, IScenarioContext context, Func<Task<IResponse>> run) =>
        Run<IResponse>(name, context, run, FailureCodes.ResponseTo<object>);

    /// <summary>The same for custom response types.</summary>
    /// <param name="failure">Converts an exception to a failure; must not throw.</param>
    /// <inheritdoc cref="Run{T}(string, IScenarioContext, Func{Task{Response{T}}})"/>
    public static Task<TResponse> Run<TResponse>(
        string name, IScenarioContext context, Func<Task<TResponse>> run, Func<Exception, TResponse> failure)
        where TResponse : class, IResponse
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(context);
        ArgumentNullException.ThrowIfNull(run);
        if (HostOf(context) is { } host)
        {
            return HostedAsync(host, name, context, run, failure);
        }

        var start = Stopwatch.GetTimestamp();
        Task<TResponse> task;
        try
        {
            task = run() ?? NoResponse<Task<TResponse>>(name);
        }
        catch (Exception exception)
        {
            task = Task.FromResult(failure(exception));
        }

        // A step that has already succeeded returns its own task: nothing is allocated.
        if (task is not { IsCompletedSuccessfully: true }
            || task.GetAwaiter().GetResult() is not { IsError: false } ended)
        {
            return PendingStep<TResponse>.Await(name, context, start, task, failure);
        }

        Finish(name, context, start, Stopwatch.GetTimestamp(), ended);
        return task;
    }

    private static IStepHost? HostOf(IScenarioContext context) => (context as ScenarioInstance)?.Host;

    /// <summary>
    /// Lets an external engine run the step. Only the response and the time of the body count, not the engine's work
    /// around it.
    /// </summary>
    private static async Task<TResponse> HostedAsync<TResponse>(
        IStepHost host, string name, IScenarioContext context, Func<Task<TResponse>> run,
        Func<Exception, TResponse> failure)
        where TResponse : class, IResponse
    {
        TResponse? response = null;
        var (start, end) = (0L, 0L);
        await host.RunAsync(name, async () =>
        {
            start = Stopwatch.GetTimestamp();
            try
            {
                response = await (run() ?? NoResponse<Task<TResponse>>(name)).ConfigureAwait(false)
                    ?? NoResponse<TResponse>(name);
            }
            catch (Exception exception)
            {
                response = failure(exception);
            }

            end = Stopwatch.GetTimestamp();
            return response;
        }).ConfigureAwait(false);
        Finish(name, context, start, end,
            response ?? throw new InvalidOperationException($"The load engine did not run step '{name}'."));
        return response;
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

    /// <summary>
    /// A step that has not ended. Each thread reuses what an async method would allocate; only the task that the caller
    /// awaits is new.
    /// </summary>
    private sealed class PendingStep<TResponse>
        where TResponse : class, IResponse
    {
        [ThreadStatic]
        private static PendingStep<TResponse>? t_free;

        private readonly Action _end;
        private AsyncTaskMethodBuilder<TResponse> _builder;
        private Func<Exception, TResponse> _failure = null!;
        private Task<TResponse> _task = null!;
        private IScenarioContext _context = null!;
        private string _name = "";
        private long _start;

        private PendingStep() => _end = End;

        internal static Task<TResponse> Await(
            string name, IScenarioContext context, long start, Task<TResponse> task, Func<Exception, TResponse> failure)
        {
            var pending = t_free ?? new PendingStep<TResponse>();
            t_free = null;
            (pending._name, pending._context, pending._start, pending._task, pending._failure) =
                (name, context, start, task, failure);
            pending._builder = AsyncTaskMethodBuilder<TResponse>.Create();
            var ended = pending._builder.Task;
            task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(pending._end);
            return ended;
        }

        private void End()
        {
            var (name, context, start, task, failure, builder) = (_name, _context, _start, _task, _failure, _builder);
            (_context, _task, _builder) = (null!, null!, default);
            t_free = this;
            TResponse response;
            try
            {
                response = task.GetAwaiter().GetResult() ?? NoResponse<TResponse>(name);
            }
            catch (Exception exception)
            {
                response = failure(exception);
            }

            try
            {
                Finish(name, context, start, Stopwatch.GetTimestamp(), response);
            }
            catch (Exception exception)
            {
                builder.SetException(exception);
                return;
            }

            builder.SetResult(response);
        }
    }
}
