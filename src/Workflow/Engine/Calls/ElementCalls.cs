using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace Workflow.Engine.Calls;

/// <summary>
/// Calls of a sub-workflow for each of several elements. The step's own wait holds the elements and what has come of them; each element
/// that runs is a wait of its group, and a sub-workflow as of any other call.
/// </summary>
internal sealed class ElementCalls : WaitHandler, IElementCalls
{
    private readonly CallHandler _calls;
    private readonly LaneContext _lane;
    private readonly StepEvaluator _steps;

    public ElementCalls(InstanceHandler instances, CallHandler calls, LaneContext lane)
        : base(instances)
    {
        _calls = calls;
        _lane = lane;
        _steps = instances.Steps;
        instances.Waits.Elements = this;
        instances.Waits[WaitKind.CallEach] = this;
    }

    public override void Begin(LiveInstance instance, StepDefinition step, int scope) => Begin(instance, (CallEachStep)step, scope);

    public void EndElement(LiveInstance instance, Wait element, Value output, InstanceError? error)
    {
        var tokens = Instances.Tokens;
        if (!IsOverWith(instance, element, output, ref error, out var own))
        {
            if (_steps.TakeFailure() is not { } failure)
            {
                tokens.Rest(instance);
            }
            else if (!tokens.TryCatch(instance, element.Scope, failure))
            {
                Instances.Fail(instance, failure.Error);
            }

            return;
        }

        var step = (CallEachStep)instance.Definition.Steps[own.Step];
        instance.Waits.Remove(own);
        if (error is not null)
        {
            tokens.TakeErrorWay(instance, own, step, "callFailed", error);
        }
        else
        {
            tokens.Resume(instance, own, "returned", step.Next, Result(instance, step, own.Input));
        }
    }

    private void Begin(LiveInstance instance, CallEachStep step, int scope)
    {
        var kept = Instances.Interpreter.TakeKept();
        var group = instance.OpenScope(scope, step.Id, 0).Id;
        if (TryElements(instance, step, kept, out var elements) && TryBegin(instance, step, group, elements, out var boundary)
            && TryAdvance(instance, step, group, out var isOver, out var error))
        {
            if (!isOver)
            {
                Instances.Interpreter.Events.Arm(instance, step, boundary);
            }
            else if (error is null)
            {
                var outcome = Result(instance, step, OwnWait(instance, group)!.Input);
                InstanceHistory.Append(instance, _lane.Now, "returned", step.Id, outcome);
                Instances.Interpreter.Go(step.Next, Instances.Tokens.EndGroup(instance, group));
            }
            else
            {
                elements = OwnWait(instance, group)!.Input;
                Instances.Interpreter.GoByError(instance, step, "callFailed", error, Instances.Tokens.EndGroup(instance, group));
            }
        }
        else if (OwnWait(instance, group) is { } own)
        {
            elements = own.Input;
        }

        if (_steps.HasFailed)
        {
            Instances.Interpreter.Events.AbandonIfFailed(instance, group);
            Instances.Interpreter.Keep(elements);
        }
    }

    /// <param name="own">The step's own wait, if the step is over.</param>
    /// <returns>True when the step is: its token goes on at its next step, or by its error.</returns>
    private bool IsOverWith(LiveInstance instance, Wait element, Value output, ref InstanceError? error, [NotNullWhen(true)] out Wait? own)
    {
        own = OwnWait(instance, element.Scope);
        if (own is null)
        {
            // Something else has ended the step while the instance was suspended.
            return false;
        }

        var step = (CallEachStep)instance.Definition.Steps[element.Step];
        if (error is not null)
        {
            if (step.OnError is null)
            {
                // The instance fails. What the others have brought meanwhile is not called again.
                KeepEnded(instance);
                own = OwnWait(instance, element.Scope)!;
            }

            return true;
        }

        var elements = ElementState.WithOutput(own.Input, NumberOf(element), output);
        instance.Waits[instance.Waits.IndexOf(own)] = own = own with { Input = elements };
        if (!_steps.TryKeep(step.Id, "list of results", elements, ElementState.LevelsAround)
            || !_steps.TrySpend(step.Id, ElementState.WorkOf(elements))
            || !TryAdvance(instance, step, element.Scope, out var isOver, out error) || !isOver)
        {
            return false;
        }

        own = OwnWait(instance, element.Scope)!;
        return true;
    }

    /// <summary>The step is over: its variable takes the outputs.</summary>
    /// <returns>What the history says of it.</returns>
    private static string Result(LiveInstance instance, CallEachStep step, Value elements)
    {
        instance.Assign(step.Result, ElementState.Results(elements));
        return string.Create(CultureInfo.InvariantCulture, $"{ElementState.Ended(elements)} of {ElementState.CountOf(elements)}");
    }

    public void KeepEnded(LiveInstance instance)
    {
        for (var i = instance.Waits.Count - 1; i >= 0; i--)
        {
            if (instance.Waits[i] is EndedWait { Event: Wait.Element } ended)
            {
                instance.Waits.RemoveAt(i);
                var own = instance.Waits.FindIndex(w => w.Scope == ended.Scope && w.Event == Wait.Main);
                if (ended.Error is null && own >= 0)
                {
                    var kept = instance.Waits[own];
                    instance.Waits[own] = kept with { Input = ElementState.WithOutput(kept.Input, NumberOf(ended), ended.Value) };
                }
            }
        }
    }

    private static Wait? OwnWait(LiveInstance instance, int group) => instance.Waits.Find(w => w.Scope == group && w.Event == Wait.Main);

    private static int NumberOf(Wait element) => (int)element.Input.AsNumber();

    /// <returns>False when there are no such elements: the step has failed.</returns>
    private bool TryElements(LiveInstance instance, CallEachStep step, Value kept, out Value elements)
    {
        elements = kept;
        if (!kept.IsNull)
        {
            return true;
        }

        var source = (step.Items ?? step.Count)!;
        if (!_steps.TryEvaluate(instance, step.Id, source, out var given))
        {
            return false;
        }

        if (step.Items is not null && given.Kind == ValueKind.List && given.AsList().Count <= CallEachStep.MaxElements)
        {
            elements = ElementState.Of(given, given.AsList().Count);
            return true;
        }

        if (step.Count is not null && given.Kind == ValueKind.Number && decimal.IsInteger(given.AsNumber())
            && given.AsNumber() is >= 0 and <= CallEachStep.MaxElements)
        {
            elements = ElementState.Of(Value.Null, (int)given.AsNumber());
            return true;
        }

        var (member, wanted) = step.Items is not null
            ? ("items", $"a list of at most {CallEachStep.MaxElements} elements")
            : ("count", $"a whole number from 0 to {CallEachStep.MaxElements}");
        var problem = given.Kind == ValueKind.List && step.Items is not null ? $"has {given.AsList().Count}" : null;
        _steps.Fail(StepValues.Unusable(instance, step.Id, member, source, given, wanted, problem));
        return false;
    }

    private bool TryBegin(LiveInstance instance, CallEachStep step, int group, Value elements, out Wait[] boundary)
    {
        boundary = [];
        if (step.Boundary is not null)
        {
            if (Instances.Interpreter.Events.Prepare(instance, step, step.Boundary, group) is not { } prepared)
            {
                return false;
            }

            boundary = prepared;
        }

        if (!_steps.TryRest(instance, step, elements, isKept: true))
        {
            return false;
        }

        var count = ElementState.CountOf(elements).ToString(CultureInfo.InvariantCulture);
        InstanceHistory.Append(instance, _lane.Now, "waiting", step.Id, $"{count} x {step.Definition}");
        Instances.BeginWait(instance, Instances.NewWait(step.Id, WaitKind.CallEach, group) with
        {
            Event = Wait.Main,
            Name = step.Definition,
            Input = elements,
            DueUtc = step.Timeout is { } timeout ? _lane.Now + timeout : null,
        });
        return true;
    }

    /// <summary>Calls as many elements as may run.</summary>
    /// <returns>False when the step has failed.</returns>
    private bool TryAdvance(LiveInstance instance, CallEachStep step, int group, out bool isOver, out InstanceError? error)
    {
        error = null;
        isOver = false;
        var own = OwnWait(instance, group)!;
        var running = instance.Waits.Where(w => w.Scope == group && w.Event == Wait.Element && !w.IsReady).Select(NumberOf).ToHashSet();
        var (count, ended) = (ElementState.CountOf(own.Input), ElementState.Ended(own.Input));
        if (ended > 0 && ended < count && step.CompletionCondition is { } condition)
        {
            var variables = new OverlaidVariables(instance.Variables, ElementState.Attributes(own.Input, running.Count));
            if (!_steps.TryDecide(step.Id, condition, variables, out isOver))
            {
                return false;
            }
        }

        isOver |= ended == count;
        for (var number = 1; !isOver && number <= count && running.Count < (step.MaxConcurrency ?? count); number++)
        {
            if (ElementState.HasEnded(own.Input, number) || IsUnderWay(number))
            {
                continue;
            }

            if (!TryInput(instance, step, own.Input, number, out var input)
                || !_calls.TryCall(instance, step, (step.Definition, step.Version), input, out var definition, out error))
            {
                return false;
            }

            isOver = error is not null;
            if (definition is not null)
            {
                running.Add(number);
                var wait = Instances.NewWait(step.Id, WaitKind.Call, group) with
                {
                    Id = Instances.NewId(instance.Partition),
                    Event = Wait.Element,
                    Name = step.Definition,
                    Input = Value.From(number),
                };
                InstanceHistory.AppendStep(
                    instance, _lane.Now, "called", step.Id, string.Create(CultureInfo.InvariantCulture, $"{number}: {wait.Id}"));
                _calls.Call(instance, wait, definition, input);
            }
        }

        return true;

        // One that has ended while the instance was suspended is taken when its turn comes.
        bool IsUnderWay(int number) => running.Contains(number)
            || instance.Waits.Exists(w => w.Scope == group && w is EndedWait { Event: Wait.Element } && NumberOf(w) == number);
    }

    private bool TryInput(LiveInstance instance, CallEachStep step, Value elements, int number, out Value input)
    {
        var own = new Dictionary<string, Value>(StringComparer.Ordinal) { [step.Index] = Value.From(number) };
        if (step.Items is not null)
        {
            own[step.Item] = ElementState.Item(elements, number);
        }

        if (step.Input is null)
        {
            input = Value.From(own);
            return true;
        }

        return _steps.TryEvaluate(step.Id, step.Input, new OverlaidVariables(instance.Variables, own), out input);
    }
}

/// <summary>
/// The elements of a step as its wait keeps them: <c>n</c> how many, <c>a</c> the list of them, absent where they are only counted, and
/// <c>r</c> for each that has ended a list of its output alone, null for the others.
/// </summary>
internal static class ElementState
{
    /// <summary>Levels around the elements, and around the list of results.</summary>
    public const int LevelsAround = 2;

    public static Value Of(Value items, int count)
    {
        var state = new Dictionary<string, Value>(StringComparer.Ordinal)
        {
            ["n"] = Value.From(count), ["r"] = Value.From(new Value[count]),
        };
        if (!items.IsNull)
        {
            state["a"] = items;
        }

        return Value.From(state);
    }

    public static int CountOf(Value state) => (int)state.AsContext()["n"].AsNumber();

    /// <summary>Units of work of a change, which copies the outputs.</summary>
    public static long WorkOf(Value state) => CountOf(state) >> 4;

    public static Value Item(Value state, int number) => state.AsContext()["a"].AsList()[number - 1];

    public static bool HasEnded(Value state, int number) => !Ends(state)[number - 1].IsNull;

    public static int Ended(Value state) => Ends(state).Count(end => !end.IsNull);

    public static Value WithOutput(Value state, int number, Value output)
    {
        Value[] ends = [.. Ends(state)];
        ends[number - 1] = Value.From([output]);
        return Value.From(new Dictionary<string, Value>(state.AsContext(), StringComparer.Ordinal) { ["r"] = Value.From(ends) });
    }

    /// <summary>The outputs in the order of the elements; null for those that have not ended.</summary>
    public static Value Results(Value state) => Value.From([.. Ends(state).Select(end => end.IsNull ? Value.Null : end.AsList()[0])]);

    /// <summary>What a condition sees, by the names of BPMN 2.0, table 10.30.</summary>
    public static Dictionary<string, Value> Attributes(Value state, int active) => new(StringComparer.Ordinal)
    {
        ["numberOfInstances"] = Value.From(CountOf(state)),
        ["numberOfActiveInstances"] = Value.From(active),
        ["numberOfCompletedInstances"] = Value.From(Ended(state)),
        ["numberOfTerminatedInstances"] = Value.From(0),
        ["results"] = Results(state),
    };

    private static IReadOnlyList<Value> Ends(Value state) => state.AsContext()["r"].AsList();
}

/// <summary>The variables of an instance, and over them some that one expression alone sees.</summary>
internal sealed class OverlaidVariables(IReadOnlyDictionary<string, Value> below, IReadOnlyDictionary<string, Value> above)
    : IReadOnlyDictionary<string, Value>
{
    public int Count => Keys.Count();
    public IEnumerable<string> Keys => above.Keys.Union(below.Keys, StringComparer.Ordinal);
    public IEnumerable<Value> Values => Keys.Select(key => this[key]);
    public Value this[string key] => TryGetValue(key, out var value) ? value : throw new KeyNotFoundException(key);

    public bool ContainsKey(string key) => above.ContainsKey(key) || below.ContainsKey(key);
    public bool TryGetValue(string key, out Value value) => above.TryGetValue(key, out value) || below.TryGetValue(key, out value);

    public IEnumerator<KeyValuePair<string, Value>> GetEnumerator() =>
        Keys.Select(key => KeyValuePair.Create(key, this[key])).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
