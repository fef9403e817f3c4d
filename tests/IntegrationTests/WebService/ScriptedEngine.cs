using System.Reflection;
using Workflow.Abstractions;

namespace IntegrationTests.WebService;

/// <summary>Fails as the test asks, whatever it is called for: for errors that a healthy engine does not show on request.</summary>
public class ScriptedEngine : DispatchProxy
{
    private Func<Exception> _failure = () => new InvalidOperationException("The test has not said how to fail.");

    public static IWorkflowEngine Failing(Func<Exception> failure)
    {
        var engine = Create<IWorkflowEngine, ScriptedEngine>();
        ((ScriptedEngine)(object)engine)._failure = failure;
        return engine;
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => throw _failure();
}
