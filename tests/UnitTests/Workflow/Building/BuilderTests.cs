using System.Text.Json.Serialization;
using Workflow.Abstractions.Building;

namespace UnitTests.Workflow.Building;

public sealed class BuilderTests
{
    public static TheoryData<string, string, string> Misuses => new()
    {
        { "no step", "start", "The definition has no steps" },
        { "id twice", "steps.a", "Step 'a' is added twice; give each step an id of its own" },
        { "unknown next", "steps.a.next", "leads to 'dnoe', which is no step; did you mean 'done'?" },
        { "no end", "steps.a.next", "Step 'a' leads nowhere: nothing comes after it" },
        { "no end of a case", "steps.b.next", "Step 'b' leads nowhere: nothing comes after it" },
        { "no join", "steps.split.join", "Step 'split' has no join; call Join after it" },
        { "nothing inside", "steps.a.start", "Sub-process 'a' has no steps; add them in its lambda" },
        { "no end inside", "steps.b.next", "Step 'b' leads nowhere: nothing comes after it" },
        { "way out of a sub-process", "steps.b.next", "Step 'b' leads to step 'done' inside sub-process 'a'" },
        { "no case", "steps.a.cases", "with at least 1, but found an empty one" },
        { "jump after the end", "steps.done", "GoTo('a') has no effect" },
        { "title of nothing", "steps", "'title' is given before any step" },
        { "title twice", "steps.done.title", "'title' is given twice" },
        { "result twice", "steps.a.result", "'result' is given twice" },
        { "unreachable", "steps.b", "Step 'b' is unreachable" },
        { "expression", "steps.a.cases[0].when", "the end of the expression" },
        { "duration", "steps.a.duration", "not an ISO 8601 duration" },
        { "negative timeout", "steps.a.timeout", "negative" },
        { "activity", "steps.a.activity", "Did you mean 'echo'?" },
        { "half a pair", "steps.a.error", "surrogate" },
        { "empty source", "steps.done.source", "at least one member" },
        { "variable", "steps.a.values['a b']", "not the name of a variable" },
    };

    [Theory]
    [MemberData(nameof(Misuses))]
    public void Misuse_is_refused_with_its_place_and_the_remedy(string misuse, string path, string message)
    {
        var builder = new WorkflowBuilder("test", 1).Steps(Misuse(misuse));

        var refused = Assert.Throws<DefinitionInvalidException>(() => builder.Build(Compile.Rules));

        Assert.Contains(
            refused.Errors, error => error.Path == path && error.Message.Contains(message, StringComparison.Ordinal));
        Assert.Contains(path, refused.Message, StringComparison.Ordinal);
    }

    private static Action<FlowBuilder> Misuse(string name) => name switch
    {
        "no step" => _ => { },
        "id twice" => flow => flow.Set("a").Set("a").End("done"),
        "unknown next" => flow => flow.Set("a").GoTo("dnoe").End("done"),
        "no end" => flow => flow.Set("a"),
        "no end of a case" => flow =>
            flow.Decide("a", cases => cases.When("x", then => then.Set("b")).Otherwise(other => other.End("done"))),
        "no join" => flow => flow.Fork("split", branches => branches.Branch(branch => branch.Set("a"))),
        "nothing inside" => flow => flow.SubProcess("a", _ => { }).End("done"),
        "no end inside" => flow => flow.SubProcess("a", inside => inside.Set("b")).End("done"),
        "way out of a sub-process" => flow => flow.SubProcess("a", inside => inside.Set("b").GoTo("done")).End("done"),
        "no case" => flow => flow.Decide("a", _ => { }).End("done"),
        "jump after the end" => flow => flow.Set("a").End("done").GoTo("a"),
        "title of nothing" => flow => flow.Title("A").End("done"),
        "title twice" => flow => flow.End("done").Title("A").Title("B"),
        "result twice" => flow => flow.Task("a", step => step.Result("x").Result("y")).End("done"),
        "unreachable" => flow => flow.End("done").Set("b").GoTo("done"),
        "expression" => flow => flow.Decide("a", cases => cases.When("= total >", "done")).End("done"),
        "duration" => flow => flow.Delay("a", "2 s").End("done"),
        "negative timeout" =>
            flow => flow.WaitSignal("a", "go", step => step.Timeout(TimeSpan.FromSeconds(-1), "done")).End("done"),
        "activity" => flow => flow.Invoke("a", "ehco").End("done"),
        "half a pair" => flow => flow.Fail("a", "\ud800"),
        "empty source" => flow => flow.End("done").Source(),
        "variable" => flow => flow.Set("a", ("a b", 1)).End("done"),
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "There is no such misuse."),
    };

    [Fact]
    public void All_errors_are_reported_once_with_step_and_column()
    {
        var builder = new WorkflowBuilder("a b", 0).Steps(flow => flow
            .Set("a", ("x", "= 1 +")).Set("a")
            .Decide("b", cases => cases.When("= y >", "nowhere"))
            .Fork("c", branches => branches.Branch(branch => branch.Delay("d", "soon"))));

        var refused = Assert.Throws<DefinitionInvalidException>(() => builder.Build());

        string[] expected =
        [
            "name", "version", "steps.a", "steps.a.values.x", "steps.b.cases[0].when", "steps.b.cases[0].next",
            "steps.c.join", "steps.d.duration",
            "steps.d.next",
        ];
        Assert.Equal(expected.Order(StringComparer.Ordinal),
            refused.Errors.Select(error => error.Path).Order(StringComparer.Ordinal));
        Assert.Contains("steps.a.values.x, column 6: ", refused.Message, StringComparison.Ordinal);
        Assert.Contains("steps.b.cases[0].when, column 6: ", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Builder_of_an_outer_flow_is_refused_inside()
    {
        CaseBuilder? kept = null;

        Assert.Throws<InvalidOperationException>(() => new WorkflowBuilder("test", 1).Steps(flow =>
            flow.Decide("a", cases => cases.When("x", _ => flow.Set("b")))));
        Assert.Throws<InvalidOperationException>(() => new WorkflowBuilder("test", 1).Steps(flow =>
            flow.SubProcess("a", _ => flow.Set("b"))));
        Assert.Throws<InvalidOperationException>(() => new WorkflowBuilder("test", 1).Steps(flow =>
        {
            flow.Decide("a", cases => kept = cases.When("x", "done"));
            kept!.Otherwise(other => other.Set("b"));
        }));
    }

    [Fact]
    public void Open_ends_meet_at_the_next_step()
    {
        var steps = new WorkflowBuilder("test", 1).Steps(flow => flow
            .Decide("route", cases => cases.When("= a", then => then.Set("one")).When("= b", "done"))
            .Invoke("send", "echo", step => step.OnError(handler => handler.Set("two")).Timeout("PT1S", "done"))
            .Fork("split",
                branches => branches.Branch(branch => branch.Set("three"))
                    .Branch(branch => branch.Set("four").Fail("five", "no")))
            .Join("both")
            .End("done")).Build().Steps;

        var route = Assert.IsType<DecideStep>(steps["route"]);
        Assert.Equal(("one", "done", "send"), (route.Cases[0].Next, route.Cases[1].Next, route.Otherwise));
        Assert.Equal("send", Assert.IsType<SetStep>(steps["one"]).Next);
        var send = Assert.IsType<InvokeStep>(steps["send"]);
        Assert.Equal(("two", "done", "split"), (send.OnError, send.OnTimeout, send.Next));
        Assert.Equal("split", Assert.IsType<SetStep>(steps["two"]).Next);
        Assert.Equal("both", Assert.IsType<ForkStep>(steps["split"]).Join);
        Assert.Equal("both", Assert.IsType<SetStep>(steps["three"]).Next);
        Assert.Equal("done", Assert.IsType<JoinStep>(steps["both"]).Next);
    }

    [Fact]
    public void Handlers_of_a_sub_process_continue_after_it()
    {
        var steps = new WorkflowBuilder("test", 1).Steps(flow => flow
            .SubProcess("check", inside => inside
                .Task("look")
                .SubProcess("deeper", "named", step => step.OnError("looked").ErrorResult("problem"))
                .End("looked")
                .Set("named").End("ended"),
                step => step
                    .Timeout("P1D", late => late.Set("late"))
                    .Boundary(events => events.Signal("remind", then => then.Set("reminded"), interrupting: false)))
            .Title("Check").End("done")).Build().Steps;

        var check = Assert.IsType<SubProcessStep>(steps["check"]);
        Assert.Equal(("look", "done", "late", "reminded", "Check"),
            (check.Start, check.Next, check.OnTimeout, check.Boundary![0].Next, check.Title));
        Assert.Equal(("deeper", "done", "done"),
            (Assert.IsType<TaskStep>(steps["look"]).Next, Assert.IsType<SetStep>(steps["late"]).Next,
            Assert.IsType<SetStep>(steps["reminded"]).Next));
        var deeper = Assert.IsType<SubProcessStep>(steps["deeper"]);
        Assert.Equal(
            ("named", "looked", "looked", "problem"), (deeper.Start, deeper.Next, deeper.OnError, deeper.ErrorResult));
    }

    [Fact]
    public void Values_and_variables_convert_by_themselves()
    {
        var total = new Variable("total");
        var definition = new WorkflowBuilder("test", 1).Steps(flow => flow
            .Set("a", (total, 1), ("copy", total), ("share", 0.50m), ("none", TemplateValue.Null), ("is", true),
                ("list", TemplateValue.List("= x", -1, TemplateValue.List())),
                ("context", TemplateValue.Context(("b c", $"= {total} > 100"))))
            .End("done", total)).Build();

        Assert.Contains(
            """{"context":{"b c":"= total > 100"},"copy":"= total","is":true,"list":["= x",-1,[]],"none":null,"share":0.5,"total":1}""",
            definition.CanonicalJson, StringComparison.Ordinal);
        Assert.Contains("\"output\":\"= total\"", definition.CanonicalJson, StringComparison.Ordinal);
    }

    /// <summary>This example stands in the README too.</summary>
    [Fact]
    public void Typed_variable_gives_its_members_as_values_and_conditions()
    {
        var decision = new Variable<Decision>("decision");
        var definition = new WorkflowBuilder("test", 1).Steps(flow => flow
            .Task("check", step => step.Assignee(decision.Get(d => d.By.Name)).Result(decision))
            .Decide("approved", cases => cases
                .When(decision.Get(d => d.Approved).And(decision.Get(d => d.Limit) >= 100), "done")
                .When(decision.Get(d => d.Approved).Or(decision.Get(d => d.By).IsNull())
                    .And(decision.Get(d => d.Size).Is(5)).Not(), "done")
                .When(decision.Get(d => d.In).IsNot("say \"a\"").Or(decision.Get(d => d.Kind).Is(Kind.VeryLarge)),
                    next => next.Set("large")))
            .WaitSignal("wait", "go", step => step.Correlation(decision.Get(d => d.OrderId)))
            .Fail("refused", $"= \"refused by \" + {decision.Get(d => d.By.Name)}")
            .End("done", ("limit", decision.Get(d => d.Limit)), ("all", decision),
                ("small", decision.Get(d => d.Limit) < 10))).Build();

        Assert.Equal(
            [
                "= decision.approved and decision.limit >= 100",
                "= not((decision.approved or decision.by = null) and decision.size = 5)",
                "= decision.`in` != \"say \\\"a\\\"\" or decision.kind = \"veryLarge\"",
            ],
            Assert.IsType<DecideStep>(definition.Steps["approved"]).Cases.Select(one => one.When.Source));
        Assert.All(
            ["\"assignee\":\"= decision.by.name\"", "\"result\":\"decision\"",
                "\"correlation\":\"= decision.order_id\"",
            "\"output\":{\"all\":\"= decision\",\"limit\":\"= decision.limit\",\"small\":\"= decision.limit < 10\"}",
            "+ decision.by.name"],
            part => Assert.Contains(part, definition.CanonicalJson, StringComparison.Ordinal));
        var page =
            File.ReadAllText(Path.Combine(Checkout.Root, "src", "Workflow", "Abstractions", "Building", "README.md"));
        Assert.Contains(".When(decision.Get(d => d.Approved).And(decision.Get(d => d.Limit) >= 100), \"done\"))", page,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Value_without_a_literal_is_refused_with_the_remedy()
    {
        var decision = new Variable<Decision>("decision");

        Assert.Contains("write it as the text of an expression",
            Assert.Throws<ArgumentException>(() => decision.Get(d => d.OrderId.Trim())).Message,
            StringComparison.Ordinal);
        Assert.Contains("no literal of type Person",
            Assert.Throws<ArgumentException>(() => decision.Get(d => d.By).Is(new Person("ann"))).Message,
            StringComparison.Ordinal);
    }

    private sealed record Decision(
        bool Approved, decimal Limit, Person By, int? Size, string In, Kind Kind,
        [property: JsonPropertyName("order_id")] string OrderId);

    private sealed record Person(string Name);

    private enum Kind
    {
        Small,
        VeryLarge,
    }

    /// <summary>The example of the README: it stands there as it stands here.</summary>
    [Fact]
    public async Task Example_of_the_readme_is_built_run_and_decompiled()
    {
        // example
        var answer = new Variable("answer");
        var definition = new WorkflowBuilder("approval", 1)
            .Title("Approval of an order")
            .Steps(flow => flow
                .Set("prepare", ("total", "= price * quantity"))
                .Decide("route", cases => cases
                    .When("= total > 100", large => large
                        .Fork("check", branches => branches
                            .Branch(stock => stock.Set("stock", ("inStock", "= quantity < 10")))
                            .Branch(credit =>
                                credit.Invoke("credit", "echo", step => step.Input(("limit", 500)).Result("credit"))))
                        .Join("checked")))
                .WaitSignal("wait", "confirm", step => step
                    .Correlation("= orderId")
                    .Timeout(TimeSpan.FromDays(1),
                        late => late.Fail("late", "= \"order \" + orderId + \" was not confirmed\""))
                    .Result(answer))
                .End("done", ("total", "= total"), ("by", $"= {answer}.by")))
            .Build();
        // end of example

        var options = new WorkflowEngineOptions
        {
            Activities =
                [new() { Name = "echo", Inline = true, InvokeAsync = (input, _) => ValueTask.FromResult(input) }],
        };
        await using var session = await EngineSession.StartAsync(new InMemoryStore(), options);
        await session.Engine.RegisterDefinitionAsync(definition, Cancel);
        var started =
            await session.StartAsync("approval", """{ "orderId": "o-1", "price": 60, "quantity": 2 }""", "o-1");
        await session.SignalAsync("confirm", "o-1", """{ "by": "ann" }""");

        Assert.Equal("""{"by":"ann","total":120}""", await session.OutputAsync(started.Id));
        var page =
            File.ReadAllText(Path.Combine(Checkout.Root, "src", "Workflow", "Abstractions", "Building", "README.md"));
        var source = File.ReadAllText(
            Path.Combine(Checkout.Root, "tests", "UnitTests", "Workflow", "Building", "BuilderTests.cs"));
        var example = source.Split("// example\n")[1].Split("        // end of example")[0]
            .Replace("\n        ", "\n", StringComparison.Ordinal).Trim();
        Assert.Contains(example, page, StringComparison.Ordinal);
        Assert.Contains(DefinitionDecompiler.Decompile(definition), page, StringComparison.Ordinal);
    }

    [Fact]
    public void Rules_are_those_that_are_given()
    {
        var builder = new WorkflowBuilder("test", 1).Steps(flow => flow.Invoke("a", "mine").End("done"));

        Assert.Null(builder.Compile(Compile.Rules).Definition);
        Assert.NotNull(builder.Compile().Definition);
        Assert.NotNull(builder.Compile(new DefinitionRules { Activities = new HashSet<string> { "mine" } }).Definition);
    }
}
