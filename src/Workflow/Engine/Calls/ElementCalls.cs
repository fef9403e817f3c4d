using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace Workflow.Engine.Calls;

/// <summary>
/// Calls a sub-workflow for each of several elements. The step's own wait holds the elements and their outputs. Each
/// running element is a wait of its group and a sub-workflow like any other call.
/// </summary>
internal sealed class ElementCalls(InstanceHandler instances, CallHandler calls, LaneState lane)
    : WaitHandler(instances)
{
    private readonly StepEvaluator _steps = instances.Steps;

    public override void Begin(LiveInstance instance, StepDefinition step, int scope) =>
        Begin(instance, (CallEachStep)step, scope);

    /// <summary>
    /// Handles the end of an element, whose wait is already removed: calls the next one or ends the step.
    /// </summary>
    public void EndElement(LiveInstance instance, Wait element, Value output, InstanceError? error)
    {
        var tokens = Instances.Tokens;
        if (!EndsStep(instance, element, output, ref error, out var own))
        {
            if (_steps.TakeFailure() is not { } failure)
            {
                tokens.UpdateStateAtRest(instance);
            }
            else if (!tokens.TryCatch(instance, element.Scope, failure, failed: null))
            {
                Instances.Fail(instance, failure.Error);
            }

            return;
        }

        var step = (CallEachStep)instance.Definition.Steps[own.Step];
        instance.Waits.Remove(own);
        if (error is not null)
        {
            tokens.ContinueWithError(instance, own, step, "callFailed", error);
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
        if (TryEvaluateElements(instance, step, kept, out var elements)
            && TryBegin(instance, step, group, elements, out var boundary)
            && TryAdvance(instance, step, group, out var isOver, out var error))
        {
            if (!isOver)
            {
                Instances.Interpreter.Events.Arm(instance, step, boundary);
            }
            else if (error is null)
            {
                var outcome = Result(instance, step, OwnWait(instance, group)!.Input);
                InstanceHistory.Append(instance, lane.Now, "returned", step.Id, outcome);
                Instances.Interpreter.Go(step.Next, Instances.Tokens.EndGroup(instance, group));
            }
            else
            {
                elements = OwnWait(instance, group)!.Input;
                Instances.Interpreter.GoToErrorStep(
                    instance, step, "callFailed", error, Instances.Tokens.EndGroup(instance, group), elements);
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

    /// <returns>True if the step has ended: its token moves to the next step or takes the error path.</returns>
    private bool EndsStep(
        LiveInstance instance, Wait element, Value output, ref InstanceError? error, [NotNullWhen(true)] out Wait? own)
    {
        own = OwnWait(instance, element.Scope);
        if (own is null)
        {
            // Something else ended the step while the instance was suspended.
            return false;
        }

        if (error is not null)
        {
            // A retry does not call the elements again that have ended meanwhile.
            KeepEnded(instance.Waits);
            own = OwnWait(instance, element.Scope)!;
            return true;
        }

        var step = (CallEachStep)instance.Definition.Steps[element.Step];
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

    /// <summary>Ends the step: assigns the outputs to its variable.</summary>
    /// <returns>The text for the history.</returns>
    private static string Result(LiveInstance instance, CallEachStep step, Value elements)
    {
        instance.Assign(step.Result, ElementState.Results(elements));
        return string.Create(
            CultureInfo.InvariantCulture, $"{ElementState.Ended(elements)} of {ElementState.CountOf(elements)}");
    }

    /// <summary>
    /// Moves the outputs of elements that ended while their instance was suspended into the step's own wait, so that a
    /// retry does not call these elements again.
    /// </summary>
    public void KeepEnded(List<Wait> waits)
    {
        for (var i = waits.Count - 1; i >= 0; i--)
        {
            if (waits[i] is EndedWait { Event: Wait.Element } ended)
            {
                waits.RemoveAt(i);
                var own = waits.FindIndex(w => w.Scope == ended.Scope && w.Event == Wait.Main);
                if (ended.Error is null && own >= 0)
                {
                    var elements = ElementState.WithOutput(waits[own].Input, NumberOf(ended), ended.Value);
                    waits[own] = waits[own] with { Input = elements };
                }
            }
        }
    }

    private static Wait? OwnWait(LiveInstance instance, int group) =>
        instance.Waits.Find(w => w.Scope == group && w.Event == Wait.Main);

    private static int NumberOf(Wait element) => (int)element.Input.AsNumber();

    /// <returns>False if the step has failed: the value gives no elements.</returns>
    private bool TryEvaluateElements(LiveInstance instance, CallEachStep step, Value kept, out Value elements)
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
        _steps.Fail(StepValues.UnusableValue(instance, step.Id, member, source, given, wanted, problem));
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

        if (!_steps.TryAddWait(instance, step, elements, isKept: true))
        {
            return false;
        }

        var count = ElementState.CountOf(elements).ToString(CultureInfo.InvariantCulture);
        InstanceHistory.Append(instance, lane.Now, "waiting", step.Id, $"{count} x {step.Definition}");
        Instances.BeginWait(instance, Instances.NewWait(step.Id, WaitKind.CallEach, group) with
        {
            Event = Wait.Main,
            Name = step.Definition,
            Input = elements,
            DueUtc = step.Timeout is { } timeout ? lane.Now + timeout : null,
        });
        return true;
    }

    /// <summary>Calls as many elements as may run at the same time.</summary>
    /// <returns>False if the step has failed.</returns>
    private bool TryAdvance(
        LiveInstance instance, CallEachStep step, int group, out bool isOver, out InstanceError? error)
    {
        error = null;
        isOver = false;
        var own = OwnWait(instance, group)!;
        var running = instance.Waits.Where(w => w.Scope == group && w.Event == Wait.Element && !w.IsReady)
            .Select(NumberOf).ToHashSet();
        var (count, ended) = (ElementState.CountOf(own.Input), ElementState.Ended(own.Input));
        if (ended > 0 && ended < count && step.CompletionCondition is { } condition)
        {
            var variables = new OverlaidVariables(
                instance.Variables, ElementState.Attributes(own.Input, running.Count));
            if (!_steps.TryEvaluateCondition(step, condition, variables, out isOver))
            {
                return false;
            }
        }

        isOver |= ended == count;
        for (var number = 1; !isOver && number <= count && running.Count < (step.MaxConcurrency ?? count); number++)
        {
            if (ElementState.HasEnded(own.Input, number) || IsStarted(number))
            {
                continue;
            }

            if (!TryEvaluateInput(instance, step, own.Input, number, out var input)
                || !calls.TryCall(
                    instance, step, (step.Definition, step.Version), input, out var definition, out error))
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
                    instance, lane.Now, "called", step.Id,
                    string.Create(CultureInfo.InvariantCulture, $"{number}: {wait.Id}"));
                calls.Call(instance, wait, definition, input);
            }
        }

        return true;

        // An element that ended while the instance was suspended is handled when its turn comes.
        bool IsStarted(int number) => running.Contains(number)
            || instance.Waits.Exists(
                w => w.Scope == group && w is EndedWait { Event: Wait.Element } && NumberOf(w) == number);
    }

    private bool TryEvaluateInput(LiveInstance instance, CallEachStep step, Value elements, int number, out Value input)
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

/// <summary>The variables of an instance, overlaid with variables that only one expression sees.</summary>
internal sealed class OverlaidVariables(
    IReadOnlyDictionary<string, Value> below, IReadOnlyDictionary<string, Value> above)
    : IReadOnlyDictionary<string, Value>
{
    public int Count => Keys.Count();
    public IEnumerable<string> Keys => above.Keys.Union(below.Keys, StringComparer.Ordinal);
    public IEnumerable<Value> Values => Keys.Select(key => this[key]);
    public Value this[string key] => TryGetValue(key, out var value) ? value : throw new KeyNotFoundException(key);

    public bool ContainsKey(string key) => above.ContainsKey(key) || below.ContainsKey(key);
    public bool TryGetValue(string key, out Value value) =>
        above.TryGetValue(key, out value) || below.TryGetValue(key, out value);

    public IEnumerator<KeyValuePair<string, Value>> GetEnumerator() =>
        Keys.Select(key => KeyValuePair.Create(key, this[key])).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
