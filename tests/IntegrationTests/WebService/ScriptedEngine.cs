using System.Reflection;
using Workflow.Abstractions;

namespace IntegrationTests.WebService;

/// <summary>Answers or fails as the test asks, which a healthy engine does not do on request.</summary>
public class ScriptedEngine : DispatchProxy
{
    private Func<string, object?> _answer =
        _ => throw new InvalidOperationException("The test has not said what to answer.");

    public static IWorkflowEngine Failing(Func<Exception> failure) => Answering(_ => throw failure());

    /// <param name="answer">The result of the method with a given name.</param>
    public static IWorkflowEngine Answering(Func<string, object?> answer)
    {
        var engine = Create<IWorkflowEngine, ScriptedEngine>();
        ((ScriptedEngine)(object)engine)._answer = answer;
        return engine;
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => _answer(targetMethod!.Name);
}
