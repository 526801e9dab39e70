-- The health of Muster's objects for Argo CD. While an object is being deleted, Argo CD does not ask.
local hs = {}
local status = obj.status or {}

if status.observedGeneration ~= obj.metadata.generation or status.conditions == nil then
  hs.status = "Progressing"
  hs.message = "Waiting for the Muster operator"
  return hs
end

local byType = {}
for _, condition in ipairs(status.conditions) do
  byType[condition.type] = condition
end

local ready = byType["Ready"]
if ready == nil then
  hs.status = "Progressing"
  hs.message = "Waiting for the Muster operator"
  return hs
end

hs.message = ready.reason .. ": " .. ready.message
if ready.status == "True" then
  hs.status = "Healthy"
elseif ready.reason == "Paused" then
  hs.status = "Suspended"
elseif byType["Stalled"] == nil and (ready.status == "Unknown" or byType["Reconciling"] ~= nil) then
  hs.status = "Progressing"
else
  hs.status = "Degraded"
end
return hs
