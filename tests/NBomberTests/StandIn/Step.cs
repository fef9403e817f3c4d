using NBomber.Contracts;
using NBomber.StandIn;

namespace NBomber.CSharp;

public static class Step
{
    public static Task<Response<T>> Run<T>(string name, IScenarioContext context, Func<Task<Response<T>>> run) =>
        ((Iteration)context).RunStepAsync(name, run);
}
