using NBomber.Contracts;
using NBomber.CSharp;
using Ours = LoadTesting.Core.Load;

namespace LoadTesting.NBomber;

/// <summary>Runs the steps of an iteration as steps of NBomber, so that its report has them.</summary>
internal sealed class NBomberSteps(IScenarioContext context) : Ours.IStepHost
{
    public Task RunAsync(string name, Func<Task<Ours.IResponse>> run) =>
        Step.Run(name, context, async () => Translate(await run().ConfigureAwait(false)));

    public static Response<object> Translate(Ours.IResponse response) => response.IsError
        ? Response.Fail(statusCode: response.StatusCode, message: response.Message, sizeBytes: response.SizeBytes)
        : Response.Ok(statusCode: response.StatusCode, sizeBytes: response.SizeBytes, message: response.Message);
}
