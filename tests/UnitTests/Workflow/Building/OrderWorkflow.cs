using Workflow.Abstractions.Building;
using Workflow.Abstractions.Definitions;

namespace UnitTests.Workflow.Building;

/// <summary>The definition "order", version 1.</summary>
public static class OrderWorkflow
{
    public static WorkflowDefinition Build() => new WorkflowBuilder("order", 1)
        .Steps(flow => flow
            .Set("prepare", ("total", "= price * quantity"))
            .Decide("route", cases => cases
                .When("= total > 100", then => then
                    .Fork("split", branches => branches
                        .Branch(branch => branch.Set("stock", ("inStock", "= quantity < 10")))
                        .Branch(branch => branch
                            .Invoke("credit", "echo", step => step.Input(("limit", 100)).Result("limit"))))
                    .Join("both")))
            .WaitSignal("wait", "resume", step => step
                .Correlation("= requestId")
                .Timeout("PT30S", "late")
                .Result("answer"))
            .Delay("pause", "PT2S")
            .Task("check", step => step.Assignee("= agent").Groups("underwriters").Result("decision"))
            .Call("call", "policy", step => step.Input(("id", "= orderId")).Result("policy"))
            .Invoke("send", "echo", step => step
                .Input()
                .Retry(5, initialInterval: "PT0.1S", backoff: 2)
                .OnError("late"))
            .Raise("tell", "OrderConfirmed", ("id", "= orderId"))
            .End("done", ("total", "= total"))
            .Fail("late", "too late"))
        .Build();
}
