using LoadTesting.Contracts;
using LoadTesting.Running;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.CSharp;

/// <summary>Times a named part of an iteration.</summary>
public static class Step
{
    /// <summary>
    /// Runs <paramref name="run"/> and records it under <paramref name="name"/>. A failure ends the iteration unless
    /// <c>WithRestartIterationOnFail(false)</c>.
    /// </summary>
    public static Task<Response<T>> Run<T>(string name, IScenarioContext context, Func<Task<Response<T>>> run)
    {
        var iteration = Iteration.Of(context);
        return BuiltIn.Step.Run(name, iteration, run, iteration.Failed<T>);
    }
}
